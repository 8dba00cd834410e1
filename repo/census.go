package repo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// generationColumns are what scanGeneration reads of g and s, which may be
// absent.
const generationColumns = `g.id, g.block, g.block_hash, g.status, coalesce(g.reason, ''), g.checked_at, g.expires_at,
	s.id, s.holders, s.total, s.digest, s.analytics`

// standings choose one generation per token: the newest that may be served,
// else the newest of all. Everything goes by primary keys, by (chain, felt) of
// addresses and by census_generations_token.
const standings = `/* census.standing */
	SELECT asked.place, t.address IS NOT NULL, p.qualified, coalesce(p.reason, ''), coalesce(p.block, 0), h.token IS NOT NULL, asked.felt, ` + generationColumns + `
	FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (felt, place)
	LEFT JOIN addresses a ON a.chain = %[1]d AND a.felt = asked.felt
	LEFT JOIN tokens t ON t.chain = %[1]d AND t.address = a.id
	LEFT JOIN census_policies p ON p.chain = %[1]d AND p.token = t.address
	LEFT JOIN census_holds h ON h.chain = %[1]d AND h.token = t.address
	LEFT JOIN LATERAL (SELECT coalesce(
		(SELECT id FROM census_generations WHERE chain = %[1]d AND token = t.address AND status = 'certified' AND expires_at > $2 ORDER BY id DESC LIMIT 1),
		(SELECT id FROM census_generations WHERE chain = %[1]d AND token = t.address ORDER BY id DESC LIMIT 1)) AS id) chosen ON true
	LEFT JOIN census_generations g ON g.id = chosen.id
	LEFT JOIN census_snapshots s ON s.id = g.snapshot`

// CensusStandings returns how the census of each token stands at a time.
func (db *DB) CensusStandings(ctx context.Context, c domain.Chain, tokens []starknet.Felt, now time.Time) ([]token.Standing, error) {
	list := make([]token.Standing, len(tokens))
	_, err := collect(ctx, db, func(row pgx.CollectableRow) (struct{}, error) {
		var (
			place     int
			qualified *bool
			policy    token.CensusPolicy
			found     token.Standing
			g         storedGeneration
		)
		if err := row.Scan(append([]any{&place, &found.Known, &qualified, &policy.Reason, &policy.Block, &found.Held, &g.token}, g.targets()...)...); err != nil {
			return struct{}{}, err
		}
		if qualified != nil {
			policy.Qualified = *qualified
			found.Policy = &policy
		}
		var err error
		found.Generation, err = g.read()
		list[place-1] = found
		return struct{}{}, err
	}, fmt.Sprintf(standings, chainCode(c)), feltBytes(tokens), now)
	return list, err
}

// Generations returns generations by their ids, nil where there is none.
func (db *DB) Generations(ctx context.Context, c domain.Chain, ids []int64) ([]*token.Generation, error) {
	found, err := collect(ctx, db, func(row pgx.CollectableRow) (*token.Generation, error) {
		var g storedGeneration
		if err := row.Scan(append([]any{&g.token}, g.targets()...)...); err != nil {
			return nil, err
		}
		return g.read()
	}, fmt.Sprintf(`/* census.generations */
		SELECT a.felt, `+generationColumns+`
		FROM census_generations g
		JOIN addresses a ON a.chain = %[1]d AND a.id = g.token
		LEFT JOIN census_snapshots s ON s.id = g.snapshot
		WHERE g.chain = %[1]d AND g.id = ANY($1)`, chainCode(c)), ids)
	list := make([]*token.Generation, len(ids))
	for i, id := range ids {
		for _, g := range found {
			if g.ID == id {
				list[i] = g
			}
		}
	}
	return list, err
}

// pageOfHolders follows the primary key from a rank on, for each snapshot.
const pageOfHolders = `/* census.holders */
	SELECT asked.place, h.rank, a.felt, h.balance, h.updated
	FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS asked (snapshot, after, place)
	CROSS JOIN LATERAL (
		SELECT rank, holder, balance, updated FROM census_holders
		WHERE snapshot = asked.snapshot AND rank > asked.after ORDER BY rank LIMIT %[2]d
	) h
	JOIN addresses a ON a.chain = %[1]d AND a.id = h.holder`

// Holders returns the rows of each snapshot after a rank, in their order: as
// many as limit, and more if there are more.
func (db *DB) Holders(ctx context.Context, c domain.Chain, places []token.HolderPlace, limit int) ([][]token.Holder, error) {
	snapshots, after := make([]int64, len(places)), make([]int64, len(places))
	for i, p := range places {
		snapshots[i], after[i] = p.Snapshot, p.After
	}
	lists := make([][]token.Holder, len(places))
	_, err := collect(ctx, db, func(row pgx.CollectableRow) (struct{}, error) {
		var (
			place int
			h     token.Holder
		)
		err := row.Scan(&place, &h.Rank, &h.Address, &h.Balance, &h.Updated)
		if err == nil {
			lists[place-1] = append(lists[place-1], h)
		}
		return struct{}{}, err
	}, fmt.Sprintf(pageOfHolders, chainCode(c), rowsFor(limit)), snapshots, after)
	for _, list := range lists {
		token.SortHolders(list) // the join need not keep their order
	}
	return lists, err
}

// storedGeneration is a row of generationColumns. All of it is null when there
// is no generation, and the second half when it has no snapshot.
type storedGeneration struct {
	token     starknet.Felt
	id        *int64
	block     *uint64
	hash      *starknet.Felt
	status    *token.CensusStatus
	reason    string
	checked   *time.Time
	expires   *time.Time
	snapshot  *int64
	holders   *int64
	total     *domain.Amount
	digest    []byte
	analytics []byte
}

func (g *storedGeneration) targets() []any {
	return []any{&g.id, &g.block, &g.hash, &g.status, &g.reason, &g.checked, &g.expires, &g.snapshot, &g.holders, &g.total, &g.digest, &g.analytics}
}

func (g *storedGeneration) read() (*token.Generation, error) {
	if g.id == nil {
		return nil, nil
	}
	found := &token.Generation{
		ID: *g.id, Token: g.token, Block: domain.BlockRef{Number: *g.block, Hash: *g.hash},
		Status: *g.status, Reason: g.reason, CheckedAt: g.checked.UTC(), ExpiresAt: g.expires.UTC(),
	}
	if g.snapshot == nil || found.Status != token.CensusCertified {
		return found, nil
	}
	found.Snapshot = &token.Snapshot{ID: *g.snapshot, Holders: *g.holders, Total: *g.total, Digest: [32]byte(g.digest)}
	if err := json.Unmarshal(g.analytics, &found.Snapshot.Analytics); err != nil {
		return nil, fmt.Errorf("analytics of snapshot %d: %w", *g.snapshot, err)
	}
	return found, nil
}
