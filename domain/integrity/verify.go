package integrity

import (
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Verify checks a block and its state update up to a level, and returns the
// level that the block reached: at most the given one, and less where the chain
// or the node leaves out what is needed. A contradiction is a *MismatchError.
//
//   - facts.Unverified checks nothing.
//   - facts.TransactionsVerified recomputes the hash of every transaction, and
//     compares deployments and declarations with the state diff.
//   - facts.FullyVerified also recomputes the commitments, the length of the
//     state diff and the block's hash.
func Verify(level facts.Verification, c domain.Chain, block *starknet.BlockWithReceipts, update *starknet.StateUpdate) (facts.Verification, error) {
	if level == facts.Unverified {
		return facts.Unverified, nil
	}
	reached, err := verifyTransactions(c.ID(), block)
	if err != nil {
		return facts.Unverified, err
	}
	if err := verifyStateDiff(block, update); err != nil {
		return facts.Unverified, err
	}
	if level == facts.TransactionsVerified {
		return facts.Lesser(reached, level), nil
	}
	committed, err := verifyCommitments(c.ID(), block, update)
	if err != nil {
		return facts.Unverified, err
	}
	return facts.Lesser(reached, committed), nil
}

// Continues checks that a state update starts at the state root after the
// previous block.
func Continues(previous starknet.Felt, block uint64, update *starknet.StateUpdate) error {
	if update.OldRoot != previous {
		return mismatch(block, "state_update.old_root", update.OldRoot, previous)
	}
	return nil
}
