package repo

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// ClaimCensuses returns tokens of the blocks up to a number whose census is due,
// at most limit, those that wait longest first, and puts them off until the
// given time, so that nobody else takes them meanwhile.
func (db *DB) ClaimCensuses(ctx context.Context, c domain.Chain, upTo uint64, now, until time.Time, limit int) ([]starknet.Felt, error) {
	return db.claimTokens(ctx, claimCensuses, c, upTo, now, until, limit)
}

// StoreCensusPolicy stores how a token was judged. A token that was removed
// since is left out.
func (db *DB) StoreCensusPolicy(ctx context.Context, c domain.Chain, contract starknet.Felt, p token.CensusPolicy) error {
	_, err := db.pool.Exec(ctx, fmt.Sprintf(`/* census.judge */
		INSERT INTO census_policies (chain, token, qualified, reason, block)
		SELECT %[1]d, t.address, $2, nullif($3, ''), $4
		FROM addresses a JOIN tokens t ON t.chain = %[1]d AND t.address = a.id
		WHERE a.chain = %[1]d AND a.felt = $1
		ON CONFLICT (chain, token) DO UPDATE SET qualified = excluded.qualified, reason = excluded.reason, block = excluded.block`, chainCode(c)),
		pgx.QueryExecModeCacheStatement, contract[:], p.Qualified, p.Reason, int64(p.Block))
	return outage(err)
}

// PutOffCensus says when the census of a token is due next.
func (db *DB) PutOffCensus(ctx context.Context, c domain.Chain, contract starknet.Felt, until time.Time) error {
	_, err := db.pool.Exec(ctx, fmt.Sprintf(`/* census.defer */
		UPDATE tokens SET census_due = $2
		WHERE chain = %[1]d AND address = (SELECT id FROM addresses WHERE chain = %[1]d AND felt = $1)`, chainCode(c)),
		pgx.QueryExecModeCacheStatement, contract[:], until)
	return outage(err)
}
