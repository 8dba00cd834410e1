package index

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// snapshotRow is a census in use with what was computed from its rows.
type snapshotRow struct {
	ID        int64             `bun:"id"`
	Token     model.ID          `bun:"token"`
	Block     model.BlockNumber `bun:"block"`
	Total     domain.Amount     `bun:"total"`
	Digest    model.Hash        `bun:"digest"`
	Analytics json.RawMessage   `bun:"analytics"`
}

// snapshots computes the digest and the analytics of the censuses in use again.
func (f fsck) snapshots(ctx context.Context, tx bun.IDB, limit int) (findings []indexing.Finding, err error) {
	rows, err := repo.Select[snapshotRow](ctx, tx, fmt.Sprintf(`/* fsck.snapshots */
		SELECT s.id, s.token, max(g.block) AS block, s.total, s.digest, s.analytics
		FROM census_snapshots s JOIN census_generations g ON g.snapshot = s.id
		WHERE g.chain = %d AND g.status = 'certified' GROUP BY s.id ORDER BY s.id`, f.code))
	if err != nil {
		return nil, err
	}
	for i := range rows {
		is := &rows[i]
		wrong, err := f.snapshot(ctx, tx, is)
		if err != nil {
			return nil, err
		}
		if wrong != "" && len(findings) < limit {
			findings = append(findings, indexing.Finding{
				Check: "census", Block: new(uint64(is.Block)), Detail: fmt.Sprintf("the census of token %d: %s", is.Token, wrong),
				Repair: indexing.Advice(f.chain).Discard(indexing.Censuses),
			})
		}
	}
	return findings, nil
}

// snapshot says what is wrong with a census; nothing if it is sound.
func (f fsck) snapshot(ctx context.Context, tx bun.IDB, is *snapshotRow) (wrong string, err error) {
	type row struct {
		Rank    int64         `bun:"rank"`
		Address starknet.Felt `bun:"address"`
		Balance domain.Amount `bun:"balance"`
	}
	tally := token.NewTally(is.Total)
	err = repo.Each(ctx, tx, func(h *row) error {
		if wrong == "" {
			if out := tally.Add(token.Holder{Rank: h.Rank, Address: h.Address, Balance: h.Balance}); out != nil {
				wrong = out.Error()
			}
		}
		return nil
	}, fmt.Sprintf(`/* fsck.snapshot */
		SELECT h.rank, a.felt AS address, h.balance FROM census_holders h JOIN addresses a ON a.chain = %d AND a.id = h.holder
		WHERE h.snapshot = $1 ORDER BY h.rank`, f.code), is.ID)
	if err != nil || wrong != "" {
		return wrong, err
	}
	_, _, expected := tally.Close()
	if expected == nil {
		return "its holders do not have the total that it states", nil
	}
	if model.Hash(expected.Digest) != is.Digest {
		return "its digest is not that of its rows", nil
	}
	var stored token.Analytics
	if err := json.Unmarshal(is.Analytics, &stored); err != nil {
		return "its analytics cannot be read", nil //nolint:nilerr // it is what is wrong
	}
	got, err := json.Marshal(stored)
	if err != nil {
		return "", err
	}
	want, err := json.Marshal(expected.Analytics)
	if err == nil && !bytes.Equal(got, want) {
		wrong = fmt.Sprintf("its analytics are %s, but its rows give %s", got, want)
	}
	return wrong, err
}
