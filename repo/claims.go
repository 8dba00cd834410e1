package repo

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// tokenClaim is one of the things that jobs do about tokens again and again.
// Its column of tokens says when a token's turn is next.
type tokenClaim struct {
	name string // of the statement
	due  string // the column
}

// Each has an index by chain and column, which begins with the tokens that
// were never claimed.
var (
	claimMetadata = tokenClaim{"token.claim", "metadata_due"} // tokens_due
	claimSupplies = tokenClaim{"supply.claim", "supply_due"}  // tokens_supply_due
	claimCensuses = tokenClaim{"census.claim", "census_due"}  // tokens_census_due
)

// statement claims due tokens. It skips rows that somebody else has locked: a
// process that claims them too, or an undo that removes them.
func (t tokenClaim) statement(c domain.Chain) string {
	return fmt.Sprintf(`/* %[2]s */
	UPDATE tokens t SET %[3]s = $3
	FROM (
		SELECT address FROM tokens WHERE chain = %[1]d AND %[3]s <= $2 AND block <= $1
		ORDER BY %[3]s LIMIT $4 FOR UPDATE SKIP LOCKED
	) due
	JOIN addresses a ON a.chain = %[1]d AND a.id = due.address
	WHERE t.chain = %[1]d AND t.address = due.address
	RETURNING a.felt`, chainCode(c), t.name, t.due)
}

// claimTokens returns tokens of the blocks up to a number that are due now, at
// most limit, those that wait longest first, and defers them until the given
// time, so that nobody else claims them meanwhile.
func (db *DB) claimTokens(ctx context.Context, t tokenClaim, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error) {
	rows, err := db.pool.Query(ctx, t.statement(c), pgx.QueryExecModeCacheStatement, int64(upTo), now, until, limit)
	if err != nil {
		return nil, outage(err)
	}
	claimed, err := pgx.CollectRows(rows, pgx.RowTo[starknet.Felt])
	return claimed, outage(err)
}
