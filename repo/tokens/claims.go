package tokens

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// due is a recurring job on every token.
type due struct {
	statement string    // the name of the claiming statement
	column    bun.Ident // of tokens: when the job is due next
}

// Each column has an index on the chain and the column; tokens that were never
// claimed come first.
var (
	metadataDue = due{"token.claim", "metadata_due"} // tokens_due
	supplyDue   = due{"supply.claim", "supply_due"}  // tokens_supply_due
	censusDue   = due{"census.claim", "census_due"}  // tokens_census_due
)

// claim returns at most limit tokens, first seen in a block up to upTo, that
// are due now, the longest waiting first. It defers them until the given time,
// so that no other process claims them meanwhile.
func (d due) claim(ctx context.Context, db *repo.DB, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error) {
	var claimed []starknet.Felt
	err := d.query(db, c, upTo, now, until, limit).Scan(ctx, &claimed)
	return claimed, repo.Failure(ctx, err)
}

// query skips rows that another transaction has locked: a process that claims
// them too, or an undo that removes them.
func (d due) query(db *repo.DB, c domain.Chain, upTo uint64, now, until time.Time, limit int) *bun.RawQuery {
	return db.Write().NewRaw(`/* ?0 */
		UPDATE tokens t SET ?1 = ?5
		FROM (
			SELECT address FROM tokens WHERE chain = ?2 AND ?1 <= ?4 AND block <= ?3
			ORDER BY ?1 LIMIT ?6 FOR UPDATE SKIP LOCKED
		) due
		JOIN addresses a ON a.chain = ?2 AND a.id = due.address
		WHERE t.chain = ?2 AND t.address = due.address
		RETURNING a.felt`, bun.Safe(d.statement), d.column, model.Code(c), model.ClipBlock(upTo), now, until, limit)
}
