package integrity

import (
	"fmt"

	"astrolabe/starknet"
)

// verifyStateDiff checks that the state diff has what the block's successful
// transactions deployed and declared. The class of a deployment is not compared:
// the contract may have replaced it in the same block.
func verifyStateDiff(block *starknet.BlockWithReceipts, update *starknet.StateUpdate) error {
	diff := &update.StateDiff
	deployed := make(map[starknet.Felt]bool, len(diff.DeployedContracts))
	for i := range diff.DeployedContracts {
		deployed[diff.DeployedContracts[i].Address] = true
	}
	declared := make(map[starknet.Felt]starknet.Felt, len(diff.DeclaredClasses))
	for i := range diff.DeclaredClasses {
		declared[diff.DeclaredClasses[i].ClassHash] = diff.DeclaredClasses[i].CompiledClassHash
	}
	for i := range block.Transactions {
		tx, receipt := &block.Transactions[i].Transaction, &block.Transactions[i].Receipt
		if receipt.ExecutionStatus != starknet.Succeeded {
			continue
		}
		switch {
		case tx.Type == starknet.Deploy || tx.Type == starknet.DeployAccount:
			if address := tx.DeployedAddress(); !deployed[address] {
				return mismatch(block.BlockNumber, "state_diff.deployed_contracts", "nothing",
					fmt.Sprintf("%s of transactions[%d]", address, i))
			}
		case tx.Type == starknet.Declare && tx.Version.Number >= 2:
			if compiled, ok := declared[tx.ClassHash]; !ok || compiled != tx.CompiledClassHash {
				return mismatch(block.BlockNumber, "state_diff.declared_classes["+tx.ClassHash.String()+"]", compiled,
					fmt.Sprintf("%s of transactions[%d]", tx.CompiledClassHash, i))
			}
		}
	}
	return nil
}
