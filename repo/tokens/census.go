package tokens

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Census reads holder censuses. CensusBuilder builds them.
type Census struct{ db *repo.DB }

var _ token.CensusStore = Census{}

// NewCensus returns the repository of holder censuses.
func NewCensus(db *repo.DB) Census { return Census{db} }

// generationRow is a row of generationColumns with the token's address. All
// columns are null without a generation, and those of the snapshot are null
// without a snapshot.
type generationRow struct {
	Token     starknet.Felt       `bun:"token"`
	ID        *int64              `bun:"id"`
	Block     *model.BlockNumber  `bun:"block"`
	BlockHash *starknet.Felt      `bun:"block_hash"`
	Status    *token.CensusStatus `bun:"status"`
	Reason    *string             `bun:"reason"`
	CheckedAt *time.Time          `bun:"checked_at"`
	ExpiresAt *time.Time          `bun:"expires_at"`
	Snapshot  *int64              `bun:"snapshot"`
	Holders   *int64              `bun:"holders"`
	Total     *domain.Amount      `bun:"total"`
	Digest    *model.Hash         `bun:"digest"`
	Analytics json.RawMessage     `bun:"analytics"`
	Outdated  bool                `bun:"outdated"`
}

// generationColumns are the columns of a generation g and of its snapshot s.
var generationColumns = `g.id, g.block, g.block_hash, g.status, g.reason, g.checked_at, g.expires_at,
	s.id AS snapshot, s.holders, s.total, s.digest, s.analytics, ` + outdated + ` AS outdated`

// generation converts the row. It returns nil without a generation. One of an
// outdated index counts as revoked.
func (r *generationRow) generation() (*token.Generation, error) {
	if r.ID == nil {
		return nil, nil
	}
	g := &token.Generation{
		ID: *r.ID, Token: r.Token, Block: domain.BlockRef{Number: uint64(*r.Block), Hash: *r.BlockHash},
		Status: *r.Status, Reason: orEmpty(r.Reason), CheckedAt: r.CheckedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(),
	}
	if r.Outdated {
		g.Status, g.Reason = token.CensusRevoked, token.ReasonOutdated
	}
	if r.Snapshot == nil || g.Status != token.CensusCertified {
		return g, nil
	}
	g.Snapshot = &token.Snapshot{ID: *r.Snapshot, Holders: *r.Holders, Total: *r.Total, Digest: *r.Digest}
	if err := json.Unmarshal(r.Analytics, &g.Snapshot.Analytics); err != nil {
		return nil, fmt.Errorf("analytics of snapshot %d: %w", *r.Snapshot, err)
	}
	return g, nil
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// standings selects one generation per token: the newest that may be served, or
// else the newest of all. It uses primary keys, (chain, felt) of addresses and
// census_generations_token.
var standings = `/* census.standing */
	SELECT asked.parent, t.address IS NOT NULL AS known, h.token IS NOT NULL AS held,
		p.qualified, p.reason AS policy_reason, p.block AS policy_block, asked.felt AS token, ` + generationColumns + `
	FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (felt, parent)
	LEFT JOIN addresses a ON a.chain = %[1]d AND a.felt = asked.felt
	LEFT JOIN tokens t ON t.chain = %[1]d AND t.address = a.id
	LEFT JOIN census_policies p ON p.chain = %[1]d AND p.token = t.address
	LEFT JOIN census_holds h ON h.chain = %[1]d AND h.token = t.address
	LEFT JOIN LATERAL (SELECT coalesce(
		(SELECT id FROM census_generations WHERE chain = %[1]d AND token = t.address AND status = 'certified' AND expires_at > $2 ORDER BY id DESC LIMIT 1),
		(SELECT id FROM census_generations WHERE chain = %[1]d AND token = t.address ORDER BY id DESC LIMIT 1)) AS id) chosen ON true
	LEFT JOIN census_generations g ON g.id = chosen.id
	LEFT JOIN census_snapshots s ON s.id = g.snapshot`

// standingRow is a row of standings.
type standingRow struct {
	Parent       int64              `bun:"parent"`
	Known        bool               `bun:"known"`
	Held         bool               `bun:"held"`
	Qualified    *bool              `bun:"qualified"` // nil without a policy
	PolicyReason *string            `bun:"policy_reason"`
	PolicyBlock  *model.BlockNumber `bun:"policy_block"`
	generationRow
}

// CensusStates implements token.CensusStore.
func (r Census) CensusStates(ctx context.Context, c domain.Chain, tokens []starknet.Felt, now time.Time) ([]token.CensusState, error) {
	rows, err := repo.Select[standingRow](ctx, r.db.Read(), repo.Text(standings, model.Code(c)), model.Bytes(tokens), now)
	if err != nil {
		return nil, err
	}
	list := make([]token.CensusState, len(tokens))
	for i := range rows {
		row := &rows[i]
		found := token.CensusState{Known: row.Known, Held: row.Held}
		if row.Qualified != nil {
			found.Policy = &token.CensusPolicy{Qualified: *row.Qualified, Reason: orEmpty(row.PolicyReason), Block: uint64(*row.PolicyBlock)}
		}
		if found.Generation, err = row.generation(); err != nil {
			return nil, err
		}
		list[row.Parent-1] = found
	}
	return list, nil
}

// Generations implements token.CensusStore.
func (r Census) Generations(ctx context.Context, c domain.Chain, ids []int64) ([]*token.Generation, error) {
	rows, err := repo.Select[generationRow](ctx, r.db.Read(), repo.Text(`/* census.generations */
		SELECT a.felt AS token, `+generationColumns+`
		FROM census_generations g
		JOIN addresses a ON a.chain = %[1]d AND a.id = g.token
		LEFT JOIN census_snapshots s ON s.id = g.snapshot
		WHERE g.chain = %[1]d AND g.id = ANY($1)`, model.Code(c)), ids)
	if err != nil {
		return nil, err
	}
	found := make(map[int64]*token.Generation, len(rows))
	for i := range rows {
		g, err := rows[i].generation()
		if err != nil {
			return nil, err
		}
		found[g.ID] = g
	}
	list := make([]*token.Generation, len(ids))
	for i, id := range ids {
		list[i] = found[id]
	}
	return list, nil
}

// holderRow is a holder in the list of one of several snapshots.
type holderRow struct {
	Parent  int64             `bun:"parent"`
	Rank    int64             `bun:"rank"`
	Address starknet.Felt     `bun:"address"`
	Balance domain.Amount     `bun:"balance"`
	Updated model.BlockNumber `bun:"updated"`
}

func (r *holderRow) holder() token.Holder {
	return token.Holder{Rank: r.Rank, Address: r.Address, Balance: r.Balance, Updated: uint64(r.Updated)}
}

// pageOfHolders reads the primary key of census_holders from a rank on, for
// each snapshot.
const pageOfHolders = `/* census.holders */
	SELECT asked.parent, h.rank, a.felt AS address, h.balance, h.updated
	FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS asked (snapshot, after, parent)
	CROSS JOIN LATERAL (
		SELECT rank, holder, balance, updated FROM census_holders
		WHERE snapshot = asked.snapshot AND rank > asked.after ORDER BY rank LIMIT %[2]d
	) h
	JOIN addresses a ON a.chain = %[1]d AND a.id = h.holder`

// Holders implements token.CensusStore.
func (r Census) Holders(ctx context.Context, c domain.Chain, places []token.HolderPlace, limit int) ([][]token.Holder, error) {
	snapshots, after := make([]int64, len(places)), make([]int64, len(places))
	for i, p := range places {
		snapshots[i], after[i] = p.Snapshot, p.After
	}
	rows, err := repo.Select[holderRow](ctx, r.db.Read(), repo.Text(pageOfHolders, model.Code(c), repo.RowsFor(limit)), snapshots, after)
	if err != nil {
		return nil, err
	}
	lists, err := repo.ByParent(rows, len(places), func(row *holderRow) (int64, token.Holder, error) { return row.Parent, row.holder(), nil })
	for _, list := range lists {
		token.SortHolders(list) // the join does not guarantee an order
	}
	return lists, err
}
