package integrity

import (
	"fmt"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
	"astrolabe/starknet/commitment"
)

// Continues checks that a state update starts at the state root after the
// previous block.
func Continues(previous starknet.Felt, block uint64, update *starknet.StateUpdate) error {
	if update.OldRoot != previous {
		return mismatch(block, "state_update.old_root", update.OldRoot, previous)
	}
	return nil
}

// committing is the Starknet version whose block hashes are the first to commit to
// everything, also to the version itself.
const committing = "0.13.2"

// Follows checks a verdict against the block before. A chain whose hashes commit
// to everything does not stop to do so: after a block of Starknet 0.13.2 or later
// that was fully verified, a block that cannot be is a contradiction.
func (v Verdict) Follows(parent indexing.Parent, block *starknet.BlockWithReceipts) error {
	if v.Doubt == nil || parent.Verification != facts.FullyVerified || commitment.OlderVersion(parent.Version, committing) {
		return nil
	}
	if commitment.OlderVersion(block.StarknetVersion, parent.Version) {
		return mismatch(block.BlockNumber, "starknet_version", block.StarknetVersion, fmt.Sprintf("at least %s, the version of the block before", parent.Version))
	}
	return v.Doubt
}
