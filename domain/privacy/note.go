package privacy

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Note is the public fact that a note was created or used: a commitment, which
// is the ID of a new note, or a nullifier. Nothing connects the two.
type Note struct {
	At      Place
	TxHash  starknet.Felt
	Pool    starknet.Felt
	Variant facts.PoolVariant
	Hash    starknet.Felt     // the commitment or the nullifier
	Token   *starknet.Felt    // nil if the event does not say it
	Amount  *starknet.Uint256 // nil if the event does not say it
	Tier    chain.Tier
}

// Position is the place of a note in every list of notes.
func (n Note) Position() domain.Position {
	return domain.Position{n.At.Block, uint64(n.At.Tx), uint64(n.At.Log)}
}

// Commitments returns a page of the notes that were created, newest first. With
// a pool it has only those of that pool, and none if there is no such pool.
func (s *Events) Commitments(ctx context.Context, c domain.Chain, pool *starknet.Felt, page domain.PageRequest) (domain.Page[Note], error) {
	return s.notes(ctx, c, s.store.Commitments, pool, page)
}

// Nullifiers does the same for notes that were used.
func (s *Events) Nullifiers(ctx context.Context, c domain.Chain, pool *starknet.Felt, page domain.PageRequest) (domain.Page[Note], error) {
	return s.notes(ctx, c, s.store.Nullifiers, pool, page)
}

// noteList reads notes, as EventStore.Commitments does.
type noteList func(ctx context.Context, c domain.Chain, pool *starknet.Felt, page domain.PageRequest) ([]Note, error)

func (s *Events) notes(ctx context.Context, c domain.Chain, read noteList, pool *starknet.Felt, page domain.PageRequest) (domain.Page[Note], error) {
	notes, err := read(ctx, c, pool, page)
	if err != nil {
		return domain.Page[Note]{}, err
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return domain.Page[Note]{}, err
	}
	for i := range notes {
		notes[i].Tier = horizon.Tier(notes[i].At.Block)
	}
	return domain.CutPage(notes, page.Limit, Note.Position), nil
}
