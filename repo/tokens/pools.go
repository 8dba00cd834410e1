package tokens

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Pools stores and reads the market pools that known factories created.
type Pools struct{ db *repo.DB }

var _ token.PoolStore = Pools{}

// NewPools returns the repository of market pools.
func NewPools(db *repo.DB) Pools { return Pools{db} }

const (
	// poolTail limits how many unscanned events of a factory a request reads.
	poolTail = 1000
	// scanStep is how many events of a factory one transaction reads.
	scanStep = 1000
)

// creationRow is an event of a factory that creates a pool.
type creationRow struct {
	Block   model.BlockNumber `bun:"block"`
	Tx      model.Index       `bun:"tx"`
	Log     model.Index       `bun:"log"`
	Keys    model.Index       `bun:"keys"`
	Payload model.Felts       `bun:"payload"`
	TxHash  starknet.Felt     `bun:"tx_hash"`
	Class   *starknet.Felt    `bun:"class"`
}

// creationColumns are the columns of an event e, with the class with which the
// pool at position f.place of its payload was deployed in the same block.
const creationColumns = `e.block, e.tx, e.log, e.keys, e.payload,
	(SELECT hash FROM transactions WHERE chain = %[1]d AND block = e.block AND tx = e.tx) AS tx_hash,
	(SELECT (SELECT hash FROM classes WHERE chain = %[1]d AND id = h.class) FROM contract_classes h
		WHERE h.chain = %[1]d AND h.block = e.block AND h.origin = 1
			AND h.address = (SELECT id FROM addresses WHERE chain = %[1]d AND felt = substr(e.payload, f.place * 32 + 1, 32))) AS class`

// pool decodes the pool that a factory's event creates. It returns false for an
// event of another shape.
func (r *creationRow) pool(f *token.Factory) (token.Pool, bool, error) {
	further := int(r.Keys) - 1 // keys after the selector
	if further < 0 || further > len(r.Payload) {
		return token.Pool{}, false, &indexing.DamageError{Table: facts.TableEvents, Block: new(uint64(r.Block)), What: "an event has not as many keys as it says"}
	}
	row := event.Row{
		Block: uint64(r.Block), Tx: int(r.Tx), Log: int(r.Log), TxHash: r.TxHash, Address: f.Address,
		Keys: append([]starknet.Felt{f.Selector()}, r.Payload[:further]...), Data: r.Payload[further:],
	}
	pool, ok := f.Read(&row, r.Class)
	return pool, ok, nil
}

// listedPool is a row of poolLists: a stored pool of one of the tokens, or an
// unscanned event of one of the factories.
type listedPool struct {
	Kept    bool           `bun:"kept"`
	Parent  int64          `bun:"parent"` // the position of the token or of the factory
	Pool    *starknet.Felt `bun:"pool"`   // nil, like the next three, unless the pool is stored
	Paired  *starknet.Felt `bun:"paired"`
	Factory *starknet.Felt `bun:"factory"`
	FeeBps  *int64         `bun:"fee_bps"`

	creationRow
}

// poolLists reads the stored pools of tokens $1, by the primary key of
// market_pools, and the unscanned events of factories, by
// events_…_address_selector from the newest back to the end of the scan. Rows
// that were scanned with another registry entry of the factory are ignored. One
// statement sees one snapshot, so no pool is missed between the two lists.
const poolLists = `/* market.pools */
	SELECT true AS kept, p.parent, m.pool, m.paired, m.factory, m.fee_bps,
		m.block, m.tx, m.log, 0::smallint AS keys, ''::bytea AS payload,
		(SELECT hash FROM transactions WHERE chain = %[1]d AND block = m.block AND tx = m.tx) AS tx_hash, m.class
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (token, parent)
	CROSS JOIN LATERAL (
		SELECT block, tx, log, factory, pool, paired, class, fee_bps FROM market_pools
		WHERE chain = %[1]d AND token = p.token AND block <= $6 AND (block, tx, log) < ($6, $7, $8) AND factory IN (
			SELECT s.factory FROM market_scans s JOIN unnest($2::bytea[], $3::text[]) AS f (factory, registry) USING (factory, registry)
			WHERE s.chain = %[1]d)
		ORDER BY block DESC, tx DESC, log DESC LIMIT %[2]d
	) m
	UNION ALL
	SELECT false, f.n, NULL, NULL, NULL, NULL, ` + creationColumns + `
	FROM unnest($2::bytea[], $3::text[], $4::bytea[], $5::integer[]) WITH ORDINALITY AS f (factory, registry, selector, place, n)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = f.factory LIMIT 1) a
	CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = f.selector LIMIT 1) k
	LEFT JOIN LATERAL (
		SELECT block, tx, log FROM market_scans WHERE chain = %[1]d AND factory = f.factory AND registry = f.registry LIMIT 1
	) s ON true
	CROSS JOIN LATERAL (
		SELECT block, tx, log, keys, payload FROM events
		WHERE chain = %[1]d AND address = a.id AND selector = k.id AND block >= coalesce(s.block, 0)
			AND (block, tx, log) > (coalesce(s.block, -1), coalesce(s.tx, 0), coalesce(s.log, 0))
		ORDER BY block DESC, tx DESC, log DESC LIMIT %[3]d
	) e`

func poolListsStatement(c domain.Chain, limit int) string {
	return fmt.Sprintf(poolLists, model.Code(c), repo.RowsFor(limit), poolTail+1)
}

// Pools implements token.PoolStore. Pools of scanned events come from
// market_pools, later ones from the factories' newest events.
func (r Pools) Pools(ctx context.Context, c domain.Chain, known []token.Factory, tokens []starknet.Felt, page domain.PageRequest) (lists [][]token.Pool, late bool, err error) {
	var factories, selectors []starknet.Felt
	var digests []string
	var places []int32
	for i := range known {
		factories, digests = append(factories, known[i].Address), append(digests, known[i].Digest())
		selectors, places = append(selectors, known[i].Selector()), append(places, int32(known[i].PoolPlace()))
	}
	after := domain.Position{math.MaxInt32, math.MaxInt16, math.MaxInt16}
	if len(page.After) == len(after) {
		after = page.After
	}
	rows, err := repo.Select[listedPool](ctx, r.db.Read(), poolListsStatement(c, page.Limit),
		model.Bytes(tokens), model.Bytes(factories), digests, model.Bytes(selectors), places, int32(after[0]), int16(after[1]), int16(after[2]))
	if err != nil {
		return nil, false, err
	}
	lists, counts := make([][]token.Pool, len(tokens)), make([]int, len(known))
	for i := range rows {
		row := &rows[i]
		if row.Kept {
			lists[row.Parent-1] = append(lists[row.Parent-1], row.kept(known, tokens))
			continue
		}
		factory := row.Parent - 1
		if counts[factory]++; counts[factory] > poolTail {
			late = true
		}
		pool, ok, err := row.pool(&known[factory])
		if err != nil {
			return nil, false, err
		}
		if !ok || slices.Compare(pool.Position(), after) >= 0 {
			continue
		}
		for j, asked := range tokens {
			if asked == pool.Tokens[0] || asked == pool.Tokens[1] {
				lists[j] = append(lists[j], pool)
			}
		}
	}
	return lists, late, nil
}

// kept converts the row of a stored pool.
func (r *listedPool) kept(known []token.Factory, tokens []starknet.Felt) token.Pool {
	pool := token.Pool{
		Address: *r.Pool, Tokens: [2]starknet.Felt{tokens[r.Parent-1], *r.Paired}, Class: r.Class,
		Block: uint64(r.Block), Tx: int(r.Tx), Log: int(r.Log), TxHash: r.TxHash,
	}
	if r.FeeBps != nil {
		pool.FeeBps = new(int(*r.FeeBps))
	}
	for i := range known {
		if known[i].Address == *r.Factory {
			pool.Factory = &known[i]
		}
	}
	return pool
}

// ScanPools reads the next events of a factory in visible finalized blocks and
// stores the pools that they create, in one transaction. It reports whether
// there may be more. ScanPools and an undo wait for each other, so stored pools
// are always of the current chain.
func (r Pools) ScanPools(ctx context.Context, c domain.Chain, f token.Factory) (more bool, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		s := poolScan{tx, c, model.Code(c), &f}
		target, err := s.target(ctx)
		if err != nil || target == nil {
			return err
		}
		at, err := s.begin(ctx)
		if err != nil || at.Block > *target || at.Block == *target && at.Log == math.MaxInt16 {
			return err
		}
		pools, next, err := s.read(ctx, at, *target)
		if err != nil {
			return err
		}
		if err := s.keep(ctx, pools); err != nil {
			return err
		}
		more = next.Log != math.MaxInt16
		_, err = tx.NewRaw(`/* market.scanned */
			UPDATE market_scans SET block = ?2, tx = ?3, log = ?4 WHERE chain = ?0 AND factory = ?1`,
			s.code, f.Address, next.Block, next.Tx, next.Log).Exec(ctx)
		return err
	})
	return more, repo.Failure(ctx, err)
}

// poolScan is the transaction of one step of a factory's scan.
type poolScan struct {
	bun.Tx
	chain   domain.Chain
	code    int
	factory *token.Factory
}

// scanPlace is the position up to which a factory's events were read, -1 at the
// start. The highest positions stand for a whole block.
type scanPlace struct {
	Registry string `bun:"registry"` // the digest of the registry entry that they were read with
	Block    int64  `bun:"block"`
	Tx       int64  `bun:"tx"`
	Log      int64  `bun:"log"`
}

// target returns the newest visible finalized block, or nil. Nothing can be
// undone until the transaction ends.
func (s poolScan) target(ctx context.Context) (target *int64, err error) {
	err = s.NewRaw(`/* market.target */
		SELECT least(finalized_block, (SELECT min(from_block) - 1 FROM index_ranges WHERE chain = ?0 AND state <> 'ready'))
		FROM index_checkpoints WHERE chain = ?0 AND finalized_block IS NOT NULL FOR KEY SHARE`, s.code).Scan(ctx, &target)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return target, err
}

// begin returns the position of a factory's scan. If the registry entry has
// changed, the scan restarts and its pools are deleted.
func (s poolScan) begin(ctx context.Context) (at scanPlace, err error) {
	if _, err := s.NewRaw(`/* market.begin */
		INSERT INTO market_scans (chain, factory, registry, block, tx, log) VALUES (?, ?, '', -1, 0, 0) ON CONFLICT DO NOTHING`,
		s.code, s.factory.Address).Exec(ctx); err != nil {
		return at, err
	}
	if err := s.NewRaw(`/* market.scan */
		SELECT registry, block, tx, log FROM market_scans WHERE chain = ? AND factory = ? FOR UPDATE`,
		s.code, s.factory.Address).Scan(ctx, &at); err != nil || at.Registry == s.factory.Digest() {
		return at, err
	}
	if _, err := s.NewDelete().Model((*model.MarketPool)(nil)).Comment("market.forget").
		Where("chain = ? AND factory = ?", s.code, s.factory.Address).Exec(ctx); err != nil {
		return at, err
	}
	_, err = s.NewRaw(`/* market.restart */
		UPDATE market_scans SET registry = ?2, block = -1, tx = 0, log = 0 WHERE chain = ?0 AND factory = ?1`,
		s.code, s.factory.Address, s.factory.Digest()).Exec(ctx)
	return scanPlace{Block: -1}, err
}

// read reads the next events up to a block, by events_…_address_selector, and
// returns the new position.
func (s poolScan) read(ctx context.Context, at scanPlace, target int64) (pools []token.Pool, next scanPlace, err error) {
	rows, err := repo.Select[creationRow](ctx, s.Tx, fmt.Sprintf(`/* market.created */
		SELECT `+creationColumns+`
		FROM (VALUES ($1::integer)) AS f (place)
		CROSS JOIN LATERAL (
			SELECT block, tx, log, keys, payload FROM events
			WHERE chain = %[1]d AND address = (SELECT id FROM addresses WHERE chain = %[1]d AND felt = $2)
				AND selector = (SELECT id FROM selectors WHERE chain = %[1]d AND felt = $3)
				AND block >= $4 AND (block, tx, log) > ($4, $5, $6) AND block <= $7
			ORDER BY block, tx, log LIMIT %[2]d
		) e ORDER BY e.block, e.tx, e.log`, s.code, scanStep),
		s.factory.PoolPlace(), s.factory.Address, s.factory.Selector(), at.Block, at.Tx, at.Log, target)
	if err != nil {
		return nil, next, err
	}
	for i := range rows {
		pool, ok, err := rows[i].pool(s.factory)
		if err != nil {
			return nil, next, err
		}
		if ok {
			pools = append(pools, pool)
		}
	}
	if len(rows) == scanStep {
		last := &rows[scanStep-1]
		return pools, scanPlace{Block: int64(last.Block), Tx: int64(last.Tx), Log: int64(last.Log)}, nil
	}
	return pools, scanPlace{Block: target, Tx: math.MaxInt16, Log: math.MaxInt16}, nil
}

// keep stores each pool for both of its tokens.
func (s poolScan) keep(ctx context.Context, pools []token.Pool) error {
	if len(pools) == 0 {
		return nil
	}
	rows := make([]model.MarketPool, 0, 2*len(pools))
	for i := range pools {
		p := &pools[i]
		row := model.MarketPool{
			Chain: model.Chain(s.chain), Block: model.BlockNumber(p.Block), Tx: model.Index(p.Tx), Log: model.Index(p.Log),
			Factory: p.Factory.Address, Pool: p.Address, Class: p.Class,
		}
		if p.FeeBps != nil {
			row.FeeBps = new(int64(*p.FeeBps))
		}
		for side := range p.Tokens {
			row.Token, row.Paired = p.Tokens[side], p.Tokens[1-side]
			rows = append(rows, row)
		}
	}
	_, err := s.NewInsert().Model(&rows).Comment("market.keep").On("CONFLICT DO NOTHING").Exec(ctx)
	return err
}
