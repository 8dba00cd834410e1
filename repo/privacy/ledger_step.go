package privacy

import (
	"context"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/privacy"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// ledgerReader reads what a ledger is made of. It remembers the ids of all addresses
// that it has read.
type ledgerReader struct {
	tx    bun.IDB
	code  int
	chain model.Chain
	ids   map[starknet.Felt]model.ID
	felts map[model.ID]starknet.Felt
}

func newLedgerReader(tx bun.IDB, c domain.Chain) ledgerReader {
	return ledgerReader{tx, model.Code(c), model.Chain(c), map[starknet.Felt]model.ID{}, map[model.ID]starknet.Felt{}}
}

// learn remembers the id of an address; both are nil or none.
func (r ledgerReader) learn(id *model.ID, felt *starknet.Felt) {
	if id != nil && felt != nil {
		r.ids[*felt], r.felts[*id] = *id, *felt
	}
}

// stepSpan are the blocks of a step: those above from, up to to. blocked means that
// the next one cannot be read yet.
type stepSpan struct {
	from, to int64
	blocked  bool
}

// next returns the blocks of the next step after through. A ledger without events
// begins with the block of the first one. It uses the primary key of
// privacy_events, and privacy_events_unread.
func (r ledgerReader) next(ctx context.Context, through, target int64, empty bool, about int) (s stepSpan, err error) {
	var unread *int64
	err = r.tx.NewRaw(`/* privacy.end */
		SELECT s.block, u.block, least(?2, s.block + ?4, u.block - 1, (
			SELECT block FROM privacy_events WHERE chain = ?0 AND block > ?1 AND block <= ?2 ORDER BY block, tx, log LIMIT 1 OFFSET ?5))
		FROM (SELECT CASE WHEN ?3 THEN coalesce((
			SELECT block - 1 FROM privacy_events WHERE chain = ?0 AND block > ?1 AND block <= ?2 ORDER BY block, tx, log LIMIT 1), ?2) ELSE ?1 END AS block) s
		LEFT JOIN (
			SELECT min(block) AS block FROM privacy_events WHERE chain = ?0 AND reading = 2 AND block > ?1 AND block <= ?2
		) u ON true`, r.code, through, target, empty, stepBlocks, about).Scan(ctx, &s.from, &unread, &s.to)
	s.blocked = unread != nil && s.to >= *unread-1
	return s, err
}

// step reads what happened in the blocks of a step, and the settings of fees that
// were in force before it.
func (r ledgerReader) step(ctx context.Context, s stepSpan) (step privacy.LedgerStep, settings []privacy.FeeSetting, err error) {
	if step.Hours, err = r.hours(ctx, s); err != nil {
		return step, nil, err
	}
	if s.blocked {
		if step.Until, err = r.timestamp(ctx, s.to+1); err != nil {
			return step, nil, err
		}
	}
	if step.Events, err = r.events(ctx, s); err != nil || len(step.Events) == 0 {
		return step, nil, err
	}
	if settings, err = r.settings(ctx, s.from); err != nil {
		return step, nil, err
	}
	step.Transfers, err = r.transfers(ctx, s, settings, step.Events)
	return step, settings, err
}

// hours reads the last blocks of each hour. It reads the blocks of the step by
// blocks_…_place.
func (r ledgerReader) hours(ctx context.Context, s stepSpan) ([]privacy.LedgerBlock, error) {
	var rows []struct {
		Block     model.BlockNumber `bun:"block"`
		Hash      starknet.Felt     `bun:"hash"`
		Timestamp int64             `bun:"timestamp"`
	}
	err := r.tx.NewRaw(`/* privacy.hours */
		SELECT b.block, b.hash, b.timestamp FROM (
			SELECT max(block) AS block FROM blocks WHERE chain = ?0 AND block > ?1 AND block <= ?2 GROUP BY timestamp / 3600
		) h JOIN blocks b ON b.chain = ?0 AND b.block = h.block ORDER BY b.block`, r.code, min(s.from, s.to-1), s.to).Scan(ctx, &rows)
	if err == nil && (len(rows) == 0 || int64(rows[len(rows)-1].Block) != s.to) {
		return nil, missingBlock(uint64(s.to))
	}
	hours := make([]privacy.LedgerBlock, len(rows))
	for i, row := range rows {
		hours[i] = privacy.LedgerBlock{Number: uint64(row.Block), Hash: row.Hash, Timestamp: uint64(row.Timestamp)}
	}
	return hours, err
}

// timestamp reads the timestamp of a block; nil if it is not stored.
func (r ledgerReader) timestamp(ctx context.Context, block int64) (*uint64, error) {
	var at []int64
	err := r.tx.NewRaw("/* privacy.timestamp */ SELECT timestamp FROM blocks WHERE chain = ? AND block = ?", r.code, block).Scan(ctx, &at)
	if err != nil || len(at) == 0 {
		return nil, err
	}
	return new(uint64(at[0])), nil
}

// missingBlock reports that a finalized block is not stored.
func missingBlock(number uint64) error {
	return &indexing.DamageError{Table: facts.TableBlocks, Block: &number, What: "the block is not stored"}
}

// stepEvent is an event with the addresses that the ledger needs.
type stepEvent struct {
	Block     model.BlockNumber `bun:"block"`
	Tx        model.Index       `bun:"tx"`
	Log       model.Index       `bun:"log"`
	Variant   model.PoolVariant `bun:"variant"`
	Reading   model.PoolReading `bun:"reading"`
	Pool      model.ID          `bun:"pool"`
	PoolFelt  starknet.Felt     `bun:"pool_felt"`
	Party     *model.ID         `bun:"party"`
	PartyFelt *starknet.Felt    `bun:"party_felt"`
	Token     *model.ID         `bun:"token"`
	TokenFelt *starknet.Felt    `bun:"token_felt"`
	Amount    *starknet.Uint256 `bun:"amount"`
	Timestamp *int64            `bun:"timestamp"` // nil if the block is not stored
}

// stepColumns are those of a stepEvent. Parties are needed only of events that
// set a viewing key or the collector of a fee. No event is left out because
// something that it refers to is not stored: that is an error.
const stepColumns = `e.block, e.tx, e.log, e.variant, e.reading, e.pool, p.felt AS pool_felt,
	e.party, y.felt AS party_felt, e.token, t.felt AS token_felt, e.amount, b.timestamp
	FROM privacy_events e
	LEFT JOIN blocks b ON b.chain = ?0 AND b.block = e.block
	LEFT JOIN addresses p ON p.chain = ?0 AND p.id = e.pool
	LEFT JOIN addresses y ON y.chain = ?0 AND y.id = e.party AND e.variant IN (1, 12)
	LEFT JOIN addresses t ON t.chain = ?0 AND t.id = e.token`

// events reads the events of a step in order, by the primary key.
func (r ledgerReader) events(ctx context.Context, s stepSpan) ([]privacy.LedgerEvent, error) {
	return r.scan(ctx, `/* privacy.step */ SELECT `+stepColumns+`
		WHERE e.chain = ?0 AND e.block > ?1 AND e.block <= ?2 ORDER BY e.block, e.tx, e.log`, r.code, s.from, s.to)
}

// scan runs a statement that selects stepColumns.
func (r ledgerReader) scan(ctx context.Context, sql string, arguments ...any) ([]privacy.LedgerEvent, error) {
	var rows []stepEvent
	if err := r.tx.NewRaw(sql, arguments...).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	events := make([]privacy.LedgerEvent, len(rows))
	for i := range rows {
		row := &rows[i]
		if row.Timestamp == nil {
			return nil, missingBlock(uint64(row.Block))
		}
		r.learn(&row.Pool, &row.PoolFelt)
		r.learn(row.Party, row.PartyFelt)
		r.learn(row.Token, row.TokenFelt)
		events[i] = privacy.LedgerEvent{
			At: placeAt(row.Block, row.Tx, row.Log), Timestamp: uint64(*row.Timestamp), Pool: row.PoolFelt,
			Variant: facts.PoolVariant(row.Variant), Reading: facts.PoolReading(row.Reading), Party: row.PartyFelt, Token: row.TokenFelt, Amount: row.Amount,
		}
	}
	return events, nil
}

func placeAt(block model.BlockNumber, tx, log model.Index) privacy.Place {
	return privacy.Place{Block: uint64(block), Tx: int(tx), Log: int(log)}
}
