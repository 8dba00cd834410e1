package integrity

import (
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Verdict is the outcome of the verification of a block without a contradiction.
type Verdict struct {
	// Level is the level that the block reached.
	Level facts.Verification
	// Doubt is why that is less than the level that was asked for: what could
	// not be reproduced. It is nil if the block reached that level.
	Doubt *MismatchError
}

// Verify checks a block and its state update up to a level. The verdict has at
// most that level, and less where the chain or the node leaves out what is
// needed. A contradiction is a *MismatchError.
//
//   - facts.Unverified checks nothing.
//   - facts.TransactionsVerified recomputes the hash of every transaction, and
//     compares deployments and declarations with the state diff.
//   - facts.FullyVerified also recomputes the commitments, the length of the
//     state diff and the block's hash, and requires a transaction for every
//     declared class.
func Verify(level facts.Verification, c domain.Chain, block *starknet.BlockWithReceipts, update *starknet.StateUpdate) (Verdict, error) {
	if level == facts.Unverified {
		return Verdict{Level: facts.Unverified}, nil
	}
	if update.BlockHash != block.BlockHash {
		return Verdict{}, mismatch(block.BlockNumber, "block_hash", block.BlockHash, update.BlockHash)
	}
	lost, err := verifyTransactions(c.ID(), block)
	if err != nil {
		return Verdict{}, err
	}
	if err := verifyStateDiff(block, update); err != nil {
		return Verdict{}, err
	}
	verdict := Verdict{Level: level}
	if level == facts.FullyVerified {
		left, err := verifyCommitments(c.ID(), block, update)
		if err != nil {
			return Verdict{}, err
		}
		if left == nil {
			err = verifyDeclarations(block, update)
		}
		if err != nil {
			return Verdict{}, err
		}
		verdict.lower(facts.TransactionsVerified, left)
	}
	verdict.lower(facts.Unverified, lost)
	return verdict, nil
}

// lower sets a lower level, if there is a doubt.
func (v *Verdict) lower(to facts.Verification, doubt *MismatchError) {
	if doubt != nil {
		v.Level, v.Doubt = to, doubt
	}
}
