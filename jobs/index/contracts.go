package index

import (
	"context"

	"astrolabe/domain/facts"
	"astrolabe/domain/integrity"
	"astrolabe/starknet"
)

// doubtedDeployments returns the deployments that no transaction of a fully
// verified block proves: the block's hash commits to them, but not to whether
// the contracts existed before.
func (f fetched) doubtedDeployments() map[starknet.Felt]bool {
	if f.verdict.Level != facts.FullyVerified {
		return nil
	}
	doubted := make(map[starknet.Felt]bool, len(f.update.StateDiff.DeployedContracts))
	for i := range f.update.StateDiff.DeployedContracts {
		doubted[f.update.StateDiff.DeployedContracts[i].Address] = true
	}
	for i := range f.block.Transactions {
		if r := &f.block.Transactions[i].Receipt; r.ContractAddress != nil && r.ExecutionStatus == starknet.Succeeded {
			delete(doubted, *r.ContractAddress)
		}
	}
	return doubted
}

// verifyContracts checks for a fully verified block that the contracts whose
// class it replaces existed before, and those that it deploys did not. The index
// knows; in a partial history, recall has asked the node. An index that is being
// repaired may have lost rows, so then the node is asked as well.
func (m *memory) verifyContracts(ctx context.Context, t *turns, got fetched) error {
	if got.verdict.Level != facts.FullyVerified {
		return nil
	}
	err := integrity.VerifyContracts(got.block.BlockNumber, &got.update.StateDiff, func(address starknet.Felt) (bool, error) {
		if t.repairing && got.block.BlockNumber > 0 {
			_, exists, err := t.Node.ClassHashAt(ctx, got.block.ParentHash, address)
			return exists, err
		}
		class, _ := m.runtimes.Get(address)
		return class != noContract, nil
	})
	return blame(err, got.upstream)
}
