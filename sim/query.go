package sim

import (
	"astrolabe/sim/chain"
	"astrolabe/sim/economy"
	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// Block is a block with all its content, as plain data.
type Block = chain.Block

// Contract is a contract of the economy with its name.
type Contract = economy.Contract

// Chain returns the chain's name, SN_MAIN or SN_SEPOLIA.
func (n *Node) Chain() string { return n.network.Name }

// Head returns the newest block.
func (n *Node) Head() *Block { return n.chain.Head() }

// Block returns a block by number, unaffected by faults. It returns
// chain.ErrNoBlock or chain.ErrNotRetained if there is none.
func (n *Node) Block(number uint64) (*Block, error) { return n.chain.Block(number) }

// L1Head returns the number of the newest block that is accepted on L1.
func (n *Node) L1Head() uint64 { return n.chain.L1Head() }

// Directory lists the contracts of the economy by name. A replayed chain has none.
func (n *Node) Directory() (contracts []Contract) {
	if n.economy == nil {
		return nil
	}
	n.chain.Script(func(chain.Script) { contracts = n.economy.Directory() })
	return contracts
}

// Call reads a contract after a block, by the name of a function.
func (n *Node) Call(number uint64, address starknet.Felt, function string, calldata ...starknet.Felt) (result []starknet.Felt, err error) {
	err = n.chain.ReadAt(number, func(view state.View, b *chain.Block) error {
		result, err = vm.Read(n.library, view, &b.Header.PreConfirmedHeader, address, starknet.Selector(function), calldata)
		return err
	})
	return result, err
}

// Storage reads a storage cell after a block.
func (n *Node) Storage(number uint64, address, key starknet.Felt) (starknet.Felt, error) {
	return n.cell(number, state.StorageCell(address, key))
}

// Nonce reads a contract's nonce after a block.
func (n *Node) Nonce(number uint64, address starknet.Felt) (starknet.Felt, error) {
	return n.cell(number, state.NonceCell(address))
}

// ClassHash reads the class of a contract after a block; zero if there is no
// contract.
func (n *Node) ClassHash(number uint64, address starknet.Felt) (starknet.Felt, error) {
	return n.cell(number, state.ClassCell(address))
}

func (n *Node) cell(number uint64, c state.Cell) (value starknet.Felt, err error) {
	err = n.chain.ReadAt(number, func(view state.View, _ *chain.Block) error {
		value = view.Read(c)
		return nil
	})
	return value, err
}
