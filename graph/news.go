package graph

import (
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// news is what every message of a stream carries: where the subscriber stands
// after it, and whether blocks were undone.
type news struct {
	list  *listing
	at    standing
	Reorg *Reorg
}

// Cursor returns where the stream goes on.
func (n *news) Cursor() string {
	return n.list.cursor(append(domain.Position{n.at.fork}, n.at.from...))
}

func (n *news) tell(told news) { *n = told }

// telling is a pointer to a message of a stream.
type telling[T any] interface {
	*T
	tell(news)
}

// standing is where a subscriber stands: everything before a position was
// told, as it is since a fork.
type standing struct {
	fork uint64
	from domain.Position // its first field is a block; never changed in place
}

// Reorg tells that blocks left the chain, and what was told of them is void.
type Reorg struct {
	FromBlock, ToBlock  uint64
	AncestorBlockNumber *uint64
	AncestorBlockHash   *starknet.Felt
}

// undo takes note of a fork, if there is one, and goes back to where it began.
// It returns nil when the subscriber had not come that far.
func (s *standing) undo(fork *chain.Fork) *Reorg {
	if fork == nil {
		return nil
	}
	s.fork = fork.Number
	start := blockStart(fork.First(), len(s.from))
	if slices.Compare(s.from, start) <= 0 {
		return nil
	}
	undone := &Reorg{FromBlock: start[0], ToBlock: s.from[0]}
	if slices.Equal(s.from, blockStart(s.from[0], len(s.from))) { // nothing of that block was told
		undone.ToBlock--
	}
	if ancestor := fork.Ancestor; ancestor != nil {
		undone.AncestorBlockNumber, undone.AncestorBlockHash = &ancestor.Number, &ancestor.Hash
	}
	s.from = start
	return undone
}

// blockStart is the position before everything in a block.
func blockStart(block uint64, fields int) domain.Position {
	start := make(domain.Position, fields)
	start[0] = block
	return start
}
