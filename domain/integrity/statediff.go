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

// verifyDeclarations checks that every declared class is one that a transaction
// declares, because the block's hash does not tell a declared class from one that
// was compiled again. Only the first block may declare others; before it there is
// nothing to compile again.
func verifyDeclarations(block *starknet.BlockWithReceipts, update *starknet.StateUpdate) error {
	diff := &update.StateDiff
	if block.BlockNumber == 0 {
		if len(diff.MigratedCompiledClasses) > 0 {
			return mismatch(0, "state_diff.migrated_compiled_classes", diff.MigratedCompiledClasses[0].ClassHash, "nothing in the first block")
		}
		return nil
	}
	declared := make(map[starknet.Felt]bool)
	for i := range block.Transactions {
		if tx := &block.Transactions[i].Transaction; tx.Type == starknet.Declare && block.Transactions[i].Receipt.ExecutionStatus == starknet.Succeeded {
			declared[tx.ClassHash] = true
		}
	}
	for i := range diff.DeclaredClasses {
		if hash := diff.DeclaredClasses[i].ClassHash; !declared[hash] {
			return mismatch(block.BlockNumber, "state_diff.declared_classes", hash, "a class that no transaction declares")
		}
	}
	return nil
}

// VerifyContracts checks that a state diff deploys no contract that existed before
// the block, and replaces the class of no other one, because the block's hash does
// not tell the two lists apart. A contract may be deployed and replaced in the same
// block.
func VerifyContracts(block uint64, diff *starknet.StateDiff, existed func(starknet.Felt) (bool, error)) error {
	deployed := make(map[starknet.Felt]bool, len(diff.DeployedContracts))
	for i := range diff.DeployedContracts {
		address := diff.DeployedContracts[i].Address
		deployed[address] = true
		existed, err := existed(address)
		if err != nil {
			return err
		}
		if existed {
			return mismatch(block, "state_diff.deployed_contracts", address, "a contract that existed before the block")
		}
	}
	for i := range diff.ReplacedClasses {
		address := diff.ReplacedClasses[i].ContractAddress
		if deployed[address] {
			continue
		}
		existed, err := existed(address)
		if err != nil {
			return err
		}
		if !existed {
			return mismatch(block, "state_diff.replaced_classes", address, "a contract that did not exist before the block")
		}
	}
	return nil
}
