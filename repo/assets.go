package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// receivedTokens jumps along transfers_receiver_token from one token to the
// next, however often each was received.
const receivedTokens = `/* asset.received */
	WITH RECURSIVE owner AS MATERIALIZED (
		SELECT id FROM addresses WHERE chain = %[1]d AND felt = $1
	), received (token) AS (
		(SELECT token FROM transfers WHERE chain = %[1]d AND receiver = (SELECT id FROM owner) ORDER BY token LIMIT 1)
		UNION ALL
		SELECT (
			SELECT t.token FROM transfers t
			WHERE t.chain = %[1]d AND t.receiver = (SELECT id FROM owner) AND t.token > r.token ORDER BY t.token LIMIT 1
		) FROM received r WHERE r.token IS NOT NULL
	)
	SELECT (SELECT felt FROM addresses WHERE chain = %[1]d AND id = r.token)
	FROM received r WHERE r.token IS NOT NULL LIMIT %[2]d`

// ReceivedTokens implements token.ReceivedStore.
func (db *DB) ReceivedTokens(ctx context.Context, c domain.Chain, owner starknet.Felt, limit int) ([]starknet.Felt, error) {
	tokens, err := collect(ctx, db, pgx.RowTo[starknet.Felt], fmt.Sprintf(receivedTokens, chainCode(c), rowsFor(limit)), owner[:])
	return tokens[:min(limit, len(tokens))], err
}
