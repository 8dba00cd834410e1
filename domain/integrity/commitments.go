package integrity

import (
	"astrolabe/starknet"
	"astrolabe/starknet/commitment"
)

// verifyCommitments recomputes the commitments and the hash of a block from its
// content. A block whose node leaves the commitments out, and whose hash is not
// reproduced, does not reach this level: some nodes of test chains have no real
// hashes, and do not pretend to. Then the difference is left.
func verifyCommitments(chainID starknet.Felt, block *starknet.BlockWithReceipts, update *starknet.StateUpdate) (left *MismatchError, err error) {
	formula, err := commitment.FormulaOf(chainID, &block.BlockHeader)
	if err != nil {
		return nil, mismatch(block.BlockNumber, "starknet_version", block.StarknetVersion, err)
	}
	computed, err := commitment.Of(formula, block, &update.StateDiff)
	if err != nil {
		return nil, mismatch(block.BlockNumber, "starknet_version", block.StarknetVersion, err)
	}
	if formula.CommitsState() {
		if err := compareCommitments(&block.BlockHeader, computed); err != nil {
			return nil, err
		}
	}
	if stated := block.StateDiffLength; stated != 0 && stated != computed.StateDiffLength {
		return nil, mismatch(block.BlockNumber, "state_diff_length", stated, computed.StateDiffLength)
	}
	hash, ok, err := commitment.HasHash(chainID, formula, &block.BlockHeader, computed)
	if err != nil {
		return nil, mismatch(block.BlockNumber, "starknet_version", block.StarknetVersion, err)
	}
	if ok {
		return nil, nil
	}
	differs := mismatch(block.BlockNumber, "block_hash", block.BlockHash, hash)
	if leftOut(formula, &block.BlockHeader) {
		return differs, nil
	}
	return nil, differs
}

// leftOut reports whether a header states no commitments. Old blocks never had
// those of receipts and state diff.
func leftOut(formula commitment.Formula, header *starknet.BlockHeader) bool {
	none := header.TransactionCommitment.IsZero() && header.EventCommitment.IsZero()
	if formula.CommitsState() { // a state diff never hashes to zero
		return none && header.ReceiptCommitment.IsZero() && header.StateDiffCommitment.IsZero()
	}
	return none && header.TransactionCount > 0
}

// compareCommitments compares the commitments that a header states with the
// computed ones. A zero one is left out. Headers of old blocks are not compared,
// because some nodes state commitments of a newer formula there.
func compareCommitments(header *starknet.BlockHeader, computed commitment.Commitments) error {
	for _, c := range []struct {
		field            string
		stated, computed starknet.Felt
	}{
		{"transaction_commitment", header.TransactionCommitment, computed.Transactions},
		{"event_commitment", header.EventCommitment, computed.Events},
		{"receipt_commitment", header.ReceiptCommitment, computed.Receipts},
		{"state_diff_commitment", header.StateDiffCommitment, computed.StateDiff},
	} {
		if !c.stated.IsZero() && c.stated != c.computed {
			return mismatch(header.BlockNumber, c.field, c.stated, c.computed)
		}
	}
	return nil
}
