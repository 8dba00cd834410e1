package contract

import (
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var eventContractDeployed = starknet.Selector("ContractDeployed")

// deployer is the universal deployer contract. Its function has two spellings.
func deployer(spellings ...string) *vm.Program {
	functions := vm.Functions{}
	for _, name := range spellings {
		functions[name] = deployFor
	}
	return vm.NewProgram(nil, functions, nil)
}

// deployFor deploys a contract whose address depends on the caller if the bound argument
// is set.
func deployFor(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	class, salt, bound, calldata := a.felt(), a.felt(), a.felt(), a.felts()
	if err := a.done(); err != nil {
		return nil, err
	}
	origin, boundSalt := starknet.Felt{}, salt
	if !bound.IsZero() {
		origin, boundSalt = c.Address, starknet.Pedersen(c.Caller, salt)
	}
	address, err := c.Deploy(class, boundSalt, origin, calldata)
	if err != nil {
		return nil, err
	}
	data := []starknet.Felt{address, c.Caller, bound, class, starknet.FeltFromUint64(uint64(len(calldata)))}
	data = append(append(data, calldata...), salt)
	return []starknet.Felt{address}, c.Emit([]starknet.Felt{eventContractDeployed}, data)
}
