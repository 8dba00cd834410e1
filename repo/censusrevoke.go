package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
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
