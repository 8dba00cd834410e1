package repo

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/token"
)

// scanStep is how many events of a factory one transaction reads.
const scanStep = 1000

// ScanPools reads the next events of a factory in finalized blocks that readers
// can see, and keeps the pools that they create, in one transaction. It says
// whether there may be more. An undo waits until it is done, and it waits for
// an undo, so that what it keeps is of the chain.
func (db *DB) ScanPools(ctx context.Context, c domain.Chain, f token.Factory) (more bool, err error) {
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		target, err := scanTarget(ctx, tx, c)
		if err != nil || target == nil {
			return err
		}
		at, err := beginScan(ctx, tx, c, f)
		if err != nil || at.block > *target || at.block == *target && at.log == math.MaxInt16 {
			return err
		}
		pools, next, err := readPools(ctx, tx, c, f, at, *target)
		if err != nil {
			return err
		}
		if err := keepPools(ctx, tx, c, pools); err != nil {
			return err
		}
		more = next.log != math.MaxInt16
		_, err = tx.Exec(ctx, `/* market.scanned */
			UPDATE market_scans SET block = $3, tx = $4, log = $5 WHERE chain = $1 AND factory = $2`,
			chainCode(c), f.Address[:], next.block, next.tx, next.log)
		return err
	})
	return more, outage(err)
}

// scanTarget returns the newest block that is finalized and visible, nil when
// there is none. Until the transaction ends nothing can be undone.
func scanTarget(ctx context.Context, tx pgx.Tx, c domain.Chain) (target *int32, err error) {
	err = tx.QueryRow(ctx, `/* market.target */
		SELECT least(finalized_block, (SELECT min(from_block) - 1 FROM index_ranges WHERE chain = $1 AND state <> 'ready'))
		FROM index_checkpoints WHERE chain = $1 AND finalized_block IS NOT NULL FOR KEY SHARE`, chainCode(c)).Scan(&target)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return target, err
}

// scanPlace is up to where a factory's events were read. The last places stand
// for a whole block.
type scanPlace struct {
	block   int32
	tx, log int16
}

// beginScan returns where a factory's scan stands. One that another entry of the
// registry made begins again, without what it had found.
func beginScan(ctx context.Context, tx pgx.Tx, c domain.Chain, f token.Factory) (at scanPlace, err error) {
	if _, err := tx.Exec(ctx, `/* market.begin */
		INSERT INTO market_scans (chain, factory, registry, block, tx, log) VALUES ($1, $2, '', -1, 0, 0) ON CONFLICT DO NOTHING`,
		chainCode(c), f.Address[:]); err != nil {
		return at, err
	}
	var registry string
	if err := tx.QueryRow(ctx, `/* market.scan */
		SELECT registry, block, tx, log FROM market_scans WHERE chain = $1 AND factory = $2 FOR UPDATE`,
		chainCode(c), f.Address[:]).Scan(&registry, &at.block, &at.tx, &at.log); err != nil || registry == f.Digest() {
		return at, err
	}
	if _, err := tx.Exec(ctx, "/* market.forget */ DELETE FROM market_pools WHERE chain = $1 AND factory = $2", chainCode(c), f.Address[:]); err != nil {
		return at, err
	}
	_, err = tx.Exec(ctx, `/* market.restart */
		UPDATE market_scans SET registry = $3, block = -1, tx = 0, log = 0 WHERE chain = $1 AND factory = $2`, chainCode(c), f.Address[:], f.Digest())
	return scanPlace{block: -1}, err
}

// readPools reads the next events up to a block, along events'
// address_selector, and says up to where.
func readPools(ctx context.Context, tx pgx.Tx, c domain.Chain, f token.Factory, at scanPlace, target int32) (pools []token.Pool, next scanPlace, err error) {
	selector := f.Selector()
	rows, err := tx.Query(ctx, fmt.Sprintf(`/* market.created */
		SELECT `+createdPool+`
		FROM (VALUES ($1::integer)) AS f (place)
		CROSS JOIN LATERAL (
			SELECT block, tx, log, address, selector, keys, payload FROM events
			WHERE chain = %[1]d AND address = (SELECT id FROM addresses WHERE chain = %[1]d AND felt = $2)
				AND selector = (SELECT id FROM selectors WHERE chain = %[1]d AND felt = $3)
				AND block >= $4 AND (block, tx, log) > ($4, $5, $6) AND block <= $7
			ORDER BY block, tx, log LIMIT %[2]d
		) e ORDER BY e.block, e.tx, e.log`, chainCode(c), scanStep), pgx.QueryExecModeDescribeExec, binaryResults,
		f.PoolPlace(), f.Address[:], selector[:], at.block, at.tx, at.log, target)
	if err != nil {
		return nil, next, err
	}
	created, err := pgx.CollectRows(rows, collectFields)
	if err != nil {
		return nil, next, err
	}
	next = scanPlace{target, math.MaxInt16, math.MaxInt16}
	for i := range created {
		row, class, err := scanCreated(&created[i])
		if err != nil {
			return nil, next, err
		}
		if pool, ok := f.Read(&row, class); ok {
			pools = append(pools, pool)
		}
		if i+1 == scanStep {
			next = scanPlace{int32(row.Block), int16(row.Tx), int16(row.Log)}
		}
	}
	return pools, next, nil
}

// keepPools stores each pool for both of its tokens.
func keepPools(ctx context.Context, tx pgx.Tx, c domain.Chain, pools []token.Pool) error {
	batch := &pgx.Batch{}
	for i := range pools {
		p := &pools[i]
		var class []byte
		if p.Class != nil {
			class = p.Class[:]
		}
		for side, of := range p.Tokens {
			paired := p.Tokens[1-side]
			batch.Queue(`/* market.keep */
				INSERT INTO market_pools (chain, token, block, tx, log, factory, pool, paired, class, fee_bps)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
				chainCode(c), of[:], p.Block, p.Tx, p.Log, p.Factory.Address[:], p.Address[:], paired[:], class, p.FeeBps)
		}
	}
	return tx.SendBatch(ctx, batch).Close()
}
