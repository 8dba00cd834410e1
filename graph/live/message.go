package live

import (
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Message is the part that all messages of a stream share: where the stream
// continues after it, and the reorg that it reports, if any.
type Message struct {
	Reorg *Reorg

	at     place
	cursor func(domain.Position) string
}

// Cursor returns where the stream continues.
func (m *Message) Cursor() string {
	return m.cursor(append(domain.Position{m.at.fork}, m.at.from...))
}

// Reorg reports that blocks left the chain. What the stream said about them is
// void.
type Reorg struct {
	FromBlock, ToBlock  uint64
	AncestorBlockNumber *uint64
	AncestorBlockHash   *starknet.Felt
}

// place is how far a subscriber has come: it knows everything before from, as
// the chain was after a fork.
type place struct {
	fork uint64
	from domain.Position // its first field is a block; never changed in place
}

// undo moves the place back to where a fork began. It returns nil when there
// is no fork, or when the subscriber had not come that far.
func (p *place) undo(fork *chain.Fork) *Reorg {
	if fork == nil {
		return nil
	}
	p.fork = fork.Number
	start := blockStart(fork.First(), len(p.from))
	if slices.Compare(p.from, start) <= 0 {
		return nil
	}
	undone := &Reorg{FromBlock: start[0], ToBlock: p.from[0]}
	if slices.Equal(p.from, blockStart(p.from[0], len(p.from))) { // nothing of that block was sent
		undone.ToBlock--
	}
	if ancestor := fork.Ancestor; ancestor != nil {
		undone.AncestorBlockNumber, undone.AncestorBlockHash = &ancestor.Number, &ancestor.Hash
	}
	p.from = start
	return undone
}

// blockStart is the position before everything in a block.
func blockStart(block uint64, fields int) domain.Position {
	start := make(domain.Position, fields)
	start[0] = block
	return start
}
