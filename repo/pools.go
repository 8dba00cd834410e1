package repo

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// poolTail is how many events of a factory are looked at that no scan has read
// yet.
const poolTail = 1000

// createdPool are the columns of an event e that creates a pool, with the class
// that the pool at the place f.place of its payload was deployed with in the
// same block.
const createdPool = shownEvent + `,
	(SELECT (SELECT hash FROM classes WHERE chain = %[1]d AND id = h.class) FROM contract_classes h
		WHERE h.chain = %[1]d AND h.block = e.block AND h.origin = 1
			AND h.address = (SELECT id FROM addresses WHERE chain = %[1]d AND felt = substr(e.payload, f.place * 32 + 1, 32)))`

// scanCreated reads the columns of createdPool.
func scanCreated(f *fields) (event.Row, *starknet.Felt, error) {
	row, err := scanEvent(f)
	if err != nil {
		return row, nil, err
	}
	class := f.feltOrNil()
	if f.bad {
		return row, nil, damaged(facts.TableChanges, row.Block, "a class's hash is malformed")
	}
	return row, class, nil
}

// Pools implements token.PoolStore. What a scan has read comes from
// market_pools, what came after it from the factories' newest events.
func (db *DB) Pools(ctx context.Context, c domain.Chain, known []token.Factory, tokens []starknet.Felt, page domain.PageRequest) (lists [][]token.Pool, late bool, err error) {
	lists = make([][]token.Pool, len(tokens))
	addresses, digests, selectors, places := factoryColumns(known)
	block, tx, log := eventPosition(page.After)
	err = db.look(ctx, func(b *pgx.Batch) {
		b.Queue(scannedPoolsStatement(c, page.Limit), feltBytes(tokens), addresses, digests, block, tx, log).Query(func(rows pgx.Rows) error {
			return scannedPools(rows, known, tokens, lists)
		})
		b.Queue(poolTailStatement(c), addresses, digests, selectors, places).Query(func(rows pgx.Rows) error {
			late, err = tailPools(rows, known, tokens, []uint64{uint64(block), uint64(tx), uint64(log)}, lists)
			return err
		})
	})
	return lists, late, err
}

// factoryColumns are the factories as arguments.
func factoryColumns(known []token.Factory) (addresses [][]byte, digests []string, selectors [][]byte, places []int32) {
	for i := range known {
		selector := known[i].Selector()
		addresses, digests = append(addresses, known[i].Address[:]), append(digests, known[i].Digest())
		selectors, places = append(selectors, selector[:]), append(places, int32(known[i].PoolPlace()))
	}
	return addresses, digests, selectors, places
}

// scannedPoolsStatement goes along the primary key of market_pools. Rows of a
// factory that was read by another entry of the registry do not count.
func scannedPoolsStatement(c domain.Chain, limit int) string {
	return fmt.Sprintf(`/* market.pools */
		SELECT p.parent, m.block, m.tx, m.log, m.factory, m.pool, m.paired, m.class, m.fee_bps,
			(SELECT hash FROM transactions WHERE chain = %[1]d AND block = m.block AND tx = m.tx)
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (token, parent)
		CROSS JOIN LATERAL (
			SELECT block, tx, log, factory, pool, paired, class, fee_bps FROM market_pools
			WHERE chain = %[1]d AND token = p.token AND block <= $4 AND (block, tx, log) < ($4, $5, $6) AND factory IN (
				SELECT s.factory FROM market_scans s JOIN unnest($2::bytea[], $3::text[]) AS f (factory, registry) USING (factory, registry)
				WHERE s.chain = %[1]d)
			ORDER BY block DESC, tx DESC, log DESC LIMIT %[2]d
		) m`, chainCode(c), rowsFor(limit))
}

func scannedPools(rows pgx.Rows, known []token.Factory, tokens []starknet.Felt, into [][]token.Pool) error {
	var (
		parent          int
		factory, paired starknet.Felt
		found           token.Pool
	)
	_, err := pgx.ForEachRow(rows, []any{&parent, &found.Block, &found.Tx, &found.Log, &factory, &found.Address, &paired, &found.Class, &found.FeeBps, &found.TxHash}, func() error {
		pool := found
		pool.Tokens = [2]starknet.Felt{tokens[parent-1], paired}
		for i := range known {
			if known[i].Address == factory {
				pool.Factory = &known[i]
			}
		}
		into[parent-1] = append(into[parent-1], pool)
		return nil
	})
	return err
}

// poolTailStatement goes along events' address_selector for each factory, from
// the newest event back to where its scan stands.
func poolTailStatement(c domain.Chain) string {
	return fmt.Sprintf(`/* market.tail */
		SELECT f.n, `+createdPool+`
		FROM unnest($1::bytea[], $2::text[], $3::bytea[], $4::integer[]) WITH ORDINALITY AS f (factory, registry, selector, place, n)
		CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = f.factory LIMIT 1) a
		CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = f.selector LIMIT 1) k
		LEFT JOIN LATERAL (
			SELECT block, tx, log FROM market_scans WHERE chain = %[1]d AND factory = f.factory AND registry = f.registry LIMIT 1
		) s ON true
		CROSS JOIN LATERAL (
			SELECT block, tx, log, address, selector, keys, payload FROM events
			WHERE chain = %[1]d AND address = a.id AND selector = k.id AND block >= coalesce(s.block, 0)
				AND (block, tx, log) > (coalesce(s.block, -1), coalesce(s.tx, 0), coalesce(s.log, 0))
			ORDER BY block DESC, tx DESC, log DESC LIMIT %[2]d
		) e`, chainCode(c), poolTail+1)
}

// tailPools adds the pools of the events that come after a position, and says
// whether a factory has more events than are looked at.
func tailPools(rows pgx.Rows, known []token.Factory, tokens []starknet.Felt, after []uint64, into [][]token.Pool) (late bool, err error) {
	created, err := pgx.CollectRows(rows, collectFields)
	if err != nil {
		return false, err
	}
	counts := make([]int, len(known))
	for i := range created {
		factory := int(created[i].int8()) - 1
		if counts[factory]++; counts[factory] > poolTail {
			late = true
		}
		row, class, err := scanCreated(&created[i])
		if err != nil {
			return false, err
		}
		pool, ok := known[factory].Read(&row, class)
		if place := []uint64{row.Block, uint64(row.Tx), uint64(row.Log)}; !ok || slices.Compare(place, after) >= 0 {
			continue
		}
		for j, asked := range tokens {
			if asked == pool.Tokens[0] || asked == pool.Tokens[1] {
				into[j] = append(into[j], pool)
			}
		}
	}
	return late, nil
}

// eventPosition returns the arguments of a position; none is before all events.
func eventPosition(after domain.Position) (block int32, tx, log int16) {
	if len(after) != 3 {
		return math.MaxInt32, math.MaxInt16, math.MaxInt16
	}
	return int32(after[0]), int16(after[1]), int16(after[2])
}
