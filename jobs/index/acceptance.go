package index

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// accept reads the newest block that is accepted on L1. It returns errForked if
// the index holds another block with its number. If the node withdraws an
// acceptance that was recorded before, the new one is recorded nevertheless, and
// the contradiction is logged. If the node does not answer, the last known
// acceptance stays.
func (t *turns) accept(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, t.Lease)
	defer cancel()
	l1, known, err := t.Node.L1Head(asking)
	if err != nil || !known {
		return nil //nolint:nilerr // acceptance is no reason to halt
	}
	ours, held, err := t.Checkpoints.BlockHash(ctx, t.Chain, l1.Number)
	if err != nil {
		return err
	}
	if held && ours != l1.Hash {
		t.Logger.Error("the node reports a different block as accepted on L1 than the index has",
			"chain", t.Chain, "block", l1.Number, "indexed", ours, "accepted", l1.Hash)
		return fmt.Errorf("%w: block %d is %s in the index, but %s is accepted on L1", errForked, l1.Number, ours, l1.Hash)
	}
	if before := t.at.L1; before != nil && withdraws(l1, *before) {
		t.Logger.Error("the node withdrew the L1 acceptance of a block", "chain", t.Chain,
			"recordedBlock", before.Number, "recordedHash", before.Hash, "block", l1.Number, "hash", l1.Hash)
	}
	t.l1, t.at.L1 = &l1, &l1
	return nil
}

// withdraws reports whether an acceptance contradicts an earlier one.
func withdraws(now, before domain.BlockRef) bool {
	return now.Number < before.Number || now.Number == before.Number && before.Hash != starknet.Felt{} && now.Hash != before.Hash
}
