package index

import (
	"context"
	"errors"
	"fmt"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
)

// missed explains why the node did not have the next block, although its head
// was not below it. If the head still is, and the node has blocks above, it was
// pruned. Otherwise the chain may be reorganising, but not twice in a row: then
// the node is inconsistent.
func (t *turns) missed(ctx context.Context, cause error) error {
	next := t.at.Next()
	head, err := t.ask(ctx)
	if err != nil {
		return err
	}
	t.head = head
	t.kept.purge() // the chain may be reorganising
	if head.Number < next {
		return nil
	}
	if got := t.obtain(ctx, next, make(chan struct{}, 1)); !errors.Is(got.err, errAbsent) {
		return got.err
	}
	_, above, err := t.Node.HashAt(ctx, head.Number)
	switch again := t.absent != nil && *t.absent == next; {
	case err != nil:
		return err
	case above && next < head.Number:
		return fmt.Errorf("%w: its head is block %d, but it does not have block %d", chain.ErrPruned, head.Number, next)
	case again:
		return fmt.Errorf("%w: the node's head is block %d, but it does not have block %d (%w)", indexing.ErrInconsistent, head.Number, next, cause)
	}
	t.absent = &next
	return nil
}
