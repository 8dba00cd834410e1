package repo

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// forgetGenerations goes along census_generations_expiry and keeps the newest
// generation of each token, by census_generations_token: it tells how the
// token's census stands.
const forgetGenerations = `/* census.forget */
	DELETE FROM census_generations WHERE id IN (
		SELECT g.id FROM census_generations g
		WHERE g.expires_at < $1
			AND EXISTS (SELECT FROM census_generations n WHERE n.chain = g.chain AND n.token = g.token AND n.id > g.id)
		ORDER BY g.expires_at LIMIT $2)`

// ForgetGenerations deletes generations that expired before a time, at most so
// many, and never the newest of a token.
func (db *DB) ForgetGenerations(ctx context.Context, before time.Time, most int) (forgotten int, err error) {
	tag, err := db.pool.Exec(ctx, forgetGenerations, pgx.QueryExecModeCacheStatement, before, most)
	return int(tag.RowsAffected()), outage(err)
}

// leftoverSnapshot goes along census_snapshots_age and
// census_generations_snapshot.
const leftoverSnapshot = `/* census.leftover */
	DELETE FROM census_snapshots WHERE id = (
		SELECT s.id FROM census_snapshots s
		WHERE s.created_at < $1 AND NOT EXISTS (SELECT FROM census_generations g WHERE g.snapshot = s.id)
		ORDER BY s.created_at LIMIT 1) RETURNING id`

// ForgetSnapshot deletes one snapshot that was made before a time and that no
// generation shows, with its rows. It is false when there is none.
func (db *DB) ForgetSnapshot(ctx context.Context, before time.Time) (forgotten bool, err error) {
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		var id int64
		err := tx.QueryRow(ctx, leftoverSnapshot, before).Scan(&id)
		if err == nil {
			_, err = tx.Exec(ctx, "/* census.clear */ DELETE FROM census_holders WHERE snapshot = $1", id)
		}
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, outage(err)
}
