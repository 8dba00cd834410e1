package chain

import (
	"context"

	"astrolabe/domain"
)

// Fork is a reorg: blocks were undone.
type Fork struct {
	// Number counts the forks of a chain, so that a reader that has seen one
	// has seen all earlier ones.
	Number uint64
	// Ancestor is the newest block that stayed; nil when none did.
	Ancestor *domain.BlockRef
}

// First returns the number of the first block that was undone.
func (f Fork) First() uint64 {
	if f.Ancestor == nil {
		return 0
	}
	return f.Ancestor.Number + 1
}

// ForkStore remembers forks.
type ForkStore interface {
	// ForkAfter sums up the forks after one: the number of the newest, and the
	// ancestor of the deepest. It is nil when there are none.
	ForkAfter(ctx context.Context, c domain.Chain, number uint64) (*Fork, error)
}

// ForkAfter sums up the forks of a chain after one: the number of the newest,
// and the ancestor of the deepest. It is nil when there are none.
//
// A reader that follows the chain reads the next rows and then calls this with
// the newest fork that it has seen: the rows continue the previous ones only if
// there is no newer fork.
func (s *Blocks) ForkAfter(ctx context.Context, c domain.Chain, number uint64) (*Fork, error) {
	return s.forks.ForkAfter(ctx, c, number)
}
