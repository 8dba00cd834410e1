package privacy

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// noteRow is a row of a list of notes.
type noteRow struct {
	Block   model.BlockNumber `bun:"block"`
	Tx      model.Index       `bun:"tx"`
	Log     model.Index       `bun:"log"`
	Variant model.PoolVariant `bun:"variant"`
	Amount  *starknet.Uint256 `bun:"amount"`
	Note    starknet.Felt     `bun:"note"`
	Pool    *starknet.Felt    `bun:"pool"`
	Token   *starknet.Felt    `bun:"token"`
	TxHash  *starknet.Felt    `bun:"tx_hash"`
}

// notesOf lists the notes of each pool, or of the pool $4, newest first. The
// lists of the pools, which are few, are sorted together.
const notesOf = `
	SELECT n.block, n.tx, n.log, n.variant, n.amount, n.note,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = n.pool) AS pool,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = n.token) AS token,
		(SELECT hash FROM transactions WHERE chain = %[1]d AND block = n.block AND tx = n.tx) AS tx_hash
	FROM (
		SELECT x.* FROM privacy_pools q
		CROSS JOIN LATERAL (
			SELECT block, tx, log, variant, pool, token, amount, note FROM privacy_events
			WHERE chain = %[1]d AND pool = q.address AND note IS NOT NULL AND (block, tx, log) < ($1, $2, $3) AND block < ` + firstUnseen

// newestNotes closes the list of notesOf.
const newestNotes = `
			ORDER BY block DESC, tx DESC, log DESC LIMIT %[2]d
		) x
		WHERE q.chain = %[1]d AND ($4::bytea IS NULL OR q.address = (SELECT id FROM addresses WHERE chain = %[1]d AND felt = $4))
		ORDER BY block DESC, tx DESC, log DESC LIMIT %[2]d
	) n
	ORDER BY n.block DESC, n.tx DESC, n.log DESC`

// The numbers of the variants are those of facts.PoolVariants, as in the
// conditions of the indexes.
const (
	// commitments uses privacy_events_commitments.
	commitments = `/* privacy.commitments */` + notesOf + ` AND variant IN (4, 6)` + newestNotes
	// nullifiers uses privacy_events_nullifiers.
	nullifiers = `/* privacy.nullifiers */` + notesOf + ` AND variant = 7` + newestNotes
)

// Commitments implements privacy.EventStore.
func (r Events) Commitments(ctx context.Context, c domain.Chain, pool *starknet.Felt, page domain.PageRequest) ([]privacy.Note, error) {
	return r.notes(ctx, repo.Text(commitments, model.Code(c), repo.RowsFor(page.Limit)), pool, page)
}

// Nullifiers implements privacy.EventStore.
func (r Events) Nullifiers(ctx context.Context, c domain.Chain, pool *starknet.Felt, page domain.PageRequest) ([]privacy.Note, error) {
	return r.notes(ctx, repo.Text(nullifiers, model.Code(c), repo.RowsFor(page.Limit)), pool, page)
}

func (r Events) notes(ctx context.Context, statement string, pool *starknet.Felt, page domain.PageRequest) ([]privacy.Note, error) {
	var felt []byte
	if pool != nil {
		felt = pool[:]
	}
	rows, err := repo.Select[noteRow](ctx, r.db.Read(), statement, append(startingAfter(page.After), felt)...)
	if err != nil {
		return nil, err
	}
	notes := make([]privacy.Note, len(rows))
	for i := range rows {
		row := &rows[i]
		if row.Pool == nil || row.TxHash == nil {
			return nil, damage(row.Block)
		}
		notes[i] = privacy.Note{
			At: placeOf(row.Block, row.Tx, row.Log), TxHash: *row.TxHash, Pool: *row.Pool, Variant: facts.PoolVariant(row.Variant),
			Hash: row.Note, Token: row.Token, Amount: row.Amount,
		}
	}
	return notes, nil
}
