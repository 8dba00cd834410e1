package economy

import (
	"astrolabe/sim/contract"
	"astrolabe/sim/key"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// Account is an account for clients. It exists from block 0 on and is funded in
// block 1.
type Account struct {
	Address starknet.Felt
	Key     key.Key
}

// InitialUnits is how many ETH and STRK each of the accounts for clients gets.
const InitialUnits = 1000

// Predeploy returns so many accounts for clients, which follow from a seed.
func Predeploy(seed uint64, count int, classes *contract.Library) []Account {
	accounts := make([]Account, count)
	source := starknet.Poseidon(starknet.MustShortString("predeployed"), starknet.FeltFromUint64(seed))
	for i := range accounts {
		private := key.Derive(source, uint64(i))
		public := private.Public()
		address := starknet.ContractAddress(starknet.Felt{}, public, classes.Named(contract.Account).Hash, []starknet.Felt{public})
		accounts[i] = Account{address, private}
	}
	return accounts
}

func (e *Economy) predeployedPlacements() (all []placement) {
	for _, a := range e.predeployed {
		all = append(all, placement{"predeployed account", contract.Account, a.Address, []starknet.Felt{a.Key.Public()}})
	}
	return all
}

// fundPredeployed deposits the first balances of the accounts for clients.
func (t *turn) fundPredeployed() {
	for _, a := range t.predeployed {
		t.deposit("ETH", a.Address, InitialUnits, 18)
		t.deposit("STRK", a.Address, InitialUnits, 18)
	}
}

// Mint returns the message from L1 that deposits an amount of wei or fri. The
// nonce makes it unique.
func (e *Economy) Mint(unit starknet.FeeUnit, to starknet.Felt, amount vm.U256, nonce uint64) starknet.Transaction {
	tx := starknet.Transaction{Type: starknet.L1Handler, Nonce: starknet.FeltFromUint64(nonce)}
	if unit == starknet.Wei {
		tx.ContractAddress, tx.EntryPointSelector = e.network.EthBridge, selector("handle_deposit")
		tx.Calldata = felts(l1EthBridge, []starknet.Felt{to}, u256(amount))
		return tx
	}
	tx.ContractAddress, tx.EntryPointSelector = e.network.StrkBridge, selector("handle_token_deposit")
	tx.Calldata = felts(l1StrkBridge, []starknet.Felt{l1Strk, to, to}, u256(amount))
	return tx
}
