package index

import (
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// poolEventColumns are the columns of privacy_events, in the order of the fields
// of a row.
const poolEventColumns = "chain, block, tx, log, variant, reading, pool, party, token, amount, note"

func (w *batchWriter) writePoolEvents(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	var rows copyRows
	for i := range blocks {
		for j := range blocks[i].PoolEvents {
			w.poolEvent(&rows, blocks[i].Header.Number, &blocks[i].PoolEvents[j])
		}
	}
	return rows.into(ctx, tx, "privacy_events", poolEventColumns)
}

func (w *batchWriter) poolEvent(r *copyRows, block uint64, p *facts.PoolEvent) {
	r.row(11)
	r.int2(w.code)
	r.block(block)
	r.int2(p.TxIndex)
	r.int2(p.LogIndex)
	enum(r, model.PoolVariant(p.Variant))
	enum(r, model.PoolReading(p.Reading))
	r.id(w.addresses.ids[p.Pool])
	w.named(r, w.addresses, p.Party)
	w.named(r, w.addresses, p.Token)
	r.number((*[32]byte)(p.Amount))
	r.felt(p.Note)
}

// PrivacyPools implements indexing.Histories. The list is empty before the first
// block, and for an index of a release that kept no events of pools. A pool whose
// address is in no dictionary is left out; fsck finds it.
func (a Archive) PrivacyPools(ctx context.Context, c domain.Chain) ([]starknet.Felt, error) {
	return repo.Select[starknet.Felt](ctx, a.db.Write(), fmt.Sprintf(`/* privacy.stored_pools */
		SELECT a.felt FROM privacy_pools p JOIN addresses a ON a.chain = %[1]d AND a.id = p.address
		WHERE p.chain = %[1]d ORDER BY a.felt`, model.Code(c)))
}

// Pools changes the privacy pools of chains.
type Pools struct{ writer *Writer }

// NewPools returns the repository of privacy pools.
func NewPools(db *repo.DB) Pools { return Pools{NewWriter(db)} }

// SetPrivacyPools replaces the privacy pools of a chain. The rows of their events
// then count as outdated until RecordVersions says that they were derived again.
// Without the lease it returns indexing.ErrLeaseLost and changes nothing.
func (p Pools) SetPrivacyPools(ctx context.Context, lease indexing.Lease, pools []starknet.Felt) error {
	b := p.writer.batch(lease.Chain, indexing.Range{})
	err := p.writer.lead(ctx, lease, func(tx repo.Tx) error {
		if err := b.writePools(ctx, tx, pools); err != nil {
			return err
		}
		if err := resetLedger(ctx, tx, lease.Chain, -1); err != nil {
			return err
		}
		return run(ctx, tx, "/* deriver.forget */ DELETE FROM deriver_versions WHERE chain = %d AND fact = '%s'", b.code, facts.TablePrivacyEvents)
	})
	if err == nil {
		b.addresses.committed()
	}
	return err
}

// writePools stores the list of pools.
func (w *batchWriter) writePools(ctx context.Context, tx repo.Tx, pools []starknet.Felt) error {
	if err := forgetPools(ctx, tx, w.chain); err != nil {
		return err
	}
	pools = slices.Compact(slices.SortedFunc(slices.Values(pools), starknet.Felt.Cmp))
	for _, pool := range pools {
		w.addresses.ask(pool)
	}
	if err := w.addresses.add(ctx, tx); err != nil {
		return err
	}
	var rows copyRows
	for _, pool := range pools {
		rows.row(2)
		rows.int2(w.code)
		rows.id(w.addresses.ids[pool])
	}
	return rows.into(ctx, tx, "privacy_pools", "chain, address")
}

// forgetPools deletes the list of pools.
func forgetPools(ctx context.Context, tx bun.IDB, c domain.Chain) error {
	return run(ctx, tx, "/* privacy.forget_pools */ DELETE FROM privacy_pools WHERE chain = %d", model.Code(c))
}

func (r *reading) poolEvents(ctx context.Context, tx bun.IDB, into *runOfBlocks) error {
	rows, err := readRows[model.PrivacyEvent](ctx, tx, span{facts.TablePrivacyEvents, into.first, into.last}, fmt.Sprintf(`/* stored.privacy_events */
		SELECT %s FROM privacy_events WHERE chain = %d AND block BETWEEN $1 AND $2 ORDER BY block, tx, log`, poolEventColumns, r.code))
	if err != nil {
		return err
	}
	for i := range rows {
		r.addresses.ask(rows[i].Pool)
		r.addresses.askIf(rows[i].Party)
		r.addresses.askIf(rows[i].Token)
	}
	if err := r.addresses.load(ctx, tx, r.code); err != nil {
		return err
	}
	return fillRows(into, facts.TablePrivacyEvents, rows,
		func(p *model.PrivacyEvent) model.BlockNumber { return p.Block },
		func(b *facts.Block) *[]facts.PoolEvent { return &b.PoolEvents }, r.poolEvent)
}

func (r *reading) poolEvent(row *model.PrivacyEvent) (facts.PoolEvent, bool) {
	pool, known := r.addresses.felt(row.Pool)
	party, known2 := r.addresses.feltIf(row.Party)
	token, known3 := r.addresses.feltIf(row.Token)
	return facts.PoolEvent{
		TxIndex: int(row.Tx), LogIndex: int(row.Log), Pool: pool, Variant: facts.PoolVariant(row.Variant), Reading: facts.PoolReading(row.Reading),
		Party: party, Token: token, Amount: row.Amount, Note: row.Note,
	}, known && known2 && known3
}
