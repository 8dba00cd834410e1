package chain

import (
	"context"

	"astrolabe/domain"
)

// Fork tells that blocks were undone.
type Fork struct {
	// Number counts the forks of a chain. Whoever knows of one knows of those
	// before it.
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
// Whoever goes along the chain reads what comes next and then asks this with
// the newest fork that it knows of: only when there is none after it does what
// was read follow what was read before.
func (s *Blocks) ForkAfter(ctx context.Context, c domain.Chain, number uint64) (*Fork, error) {
	return s.forks.ForkAfter(ctx, c, number)
}
