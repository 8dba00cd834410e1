package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// revokeCensuses takes back every census at a block or above, in the
// transaction that takes back what they were made from. Censuses under way are
// not published, and what was concerned is due at once. Policies that were
// judged there are judged again. It goes along the tables' indexes of blocks,
// which for an undo of the head find nothing.
func revokeCensuses(ctx context.Context, tx pgx.Tx, c domain.Chain, from int64, reason string) error {
	code := chainCode(c)
	if err := nextEpoch(ctx, tx, c); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, fmt.Sprintf(`/* census.revoke */
		WITH revoked AS (
			UPDATE census_generations SET status = 'revoked', reason = $2, checked_at = now()
			WHERE chain = %[1]d AND block >= $1 AND status <> 'revoked' RETURNING token
		), unjudged AS (
			DELETE FROM census_policies WHERE chain = %[1]d AND block >= $1 RETURNING token
		)
		UPDATE tokens SET census_due = '-infinity'
		WHERE chain = %[1]d AND address IN (SELECT token FROM revoked UNION SELECT token FROM unjudged)`, code), from, reason)
	return err
}

// nextEpoch keeps every census of the chain that is under way from being
// published.
func nextEpoch(ctx context.Context, tx pgx.Tx, c domain.Chain) error {
	return run(ctx, tx, "/* census.next */ UPDATE census_epochs SET epoch = epoch + 1 WHERE chain = %d", chainCode(c))
}

// HoldCensus revokes the certified generations of a token for an operator, and
// keeps others from being made. It returns how many it revoked; when that is
// none, nothing changes.
func (db *DB) HoldCensus(ctx context.Context, c domain.Chain, contract starknet.Felt, reason string) (revoked int, err error) {
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		// Nobody publishes between the revocation and the commit.
		if err := run(ctx, tx, "/* census.lock */ SELECT FROM census_epochs WHERE chain = %d FOR UPDATE", chainCode(c)); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, fmt.Sprintf(`/* census.hold */
			WITH revoked AS (
				UPDATE census_generations g SET status = 'revoked', reason = $2, checked_at = now()
				FROM addresses a
				WHERE a.chain = %[1]d AND a.felt = $1 AND g.chain = %[1]d AND g.token = a.id AND g.status = 'certified' AND g.expires_at > now()
				RETURNING g.token
			), held AS (
				INSERT INTO census_holds (chain, token, reason, placed_at)
				SELECT DISTINCT %[1]d, token, $3, now() FROM revoked ON CONFLICT DO NOTHING
			)
			SELECT token FROM revoked`, chainCode(c)), contract[:], token.ReasonOperator, reason)
		if revoked = int(tag.RowsAffected()); err != nil || revoked == 0 {
			return err
		}
		return nextEpoch(ctx, tx, c)
	})
	return revoked, outage(err)
}

// ReleaseCensus lets a token have a census again, at once. It is false when
// nobody held it.
func (db *DB) ReleaseCensus(ctx context.Context, c domain.Chain, contract starknet.Felt) (released bool, err error) {
	tag, err := db.pool.Exec(ctx, fmt.Sprintf(`/* census.release */
		WITH released AS (
			DELETE FROM census_holds h USING addresses a
			WHERE a.chain = %[1]d AND a.felt = $1 AND h.chain = %[1]d AND h.token = a.id RETURNING h.token
		)
		UPDATE tokens SET census_due = '-infinity' WHERE chain = %[1]d AND address IN (SELECT token FROM released)`, chainCode(c)), contract[:])
	return tag.RowsAffected() > 0, outage(err)
}
