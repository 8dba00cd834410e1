package contract

import (
	"astrolabe/sim/key"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	accountKey        = storageVariable("public_key")
	eventOwnerAdded   = starknet.Selector("OwnerAdded")
	eventOwnerRemoved = starknet.Selector("OwnerRemoved")
	interfaceSRC5     = starknet.MustFelt("0x3f918d17e5ee77373b56385708f855659a07f75997f365cf87748628532a055")
	interfaceAccount  = starknet.MustFelt("0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd")
	valid             = starknet.MustShortString("VALID")
)

// account is an account that executes any number of calls.
func account() *vm.Program {
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			key := a.felt()
			if err := a.done(); err != nil {
				return nil, err
			}
			c.Store(accountKey, key)
			return nil, c.Emit([]starknet.Felt{eventOwnerAdded, key}, nil)
		},
		vm.Functions{
			"__validate__":         validateTransaction,
			"__validate_declare__": validateTransaction,
			"__validate_deploy__":  validateTransaction,
			"__execute__":          executeCalls,
			"is_valid_signature":   isValidSignature,
			"isValidSignature":     isValidSignature,
			"get_public_key":       feltView(accountKey),
			"set_public_key":       setPublicKey,
			"supports_interface":   supports(interfaceSRC5, interfaceAccount),
		}, nil)
}

// validateTransaction checks the signature of the transaction.
func validateTransaction(c *vm.Call) ([]starknet.Felt, error) {
	t := c.Transaction()
	if c.Trusted() || t != nil && key.Verify(c.Load(accountKey), t.Hash, t.Signature) {
		return []starknet.Felt{valid}, nil
	}
	return nil, vm.Panic("Account: invalid signature")
}

func isValidSignature(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	hash, signature := a.felt(), a.felts()
	if a.done() == nil && key.Verify(c.Load(accountKey), hash, signature) {
		return []starknet.Felt{valid}, nil
	}
	return []starknet.Felt{{}}, a.done()
}

// executeCalls runs the calls of a transaction and returns their results.
func executeCalls(c *vm.Call) ([]starknet.Felt, error) {
	if !c.Caller.IsZero() {
		return nil, vm.Panic("Account: invalid caller")
	}
	a := argumentsOf(c)
	n := a.count(3)
	results := []starknet.Felt{starknet.FeltFromUint64(uint64(n))}
	for range n {
		to, selector, calldata := a.felt(), a.felt(), a.felts()
		if a.err != nil {
			return nil, a.err
		}
		result, err := c.Invoke(to, selector, calldata...)
		if err != nil {
			return nil, err
		}
		results = append(append(results, starknet.FeltFromUint64(uint64(len(result)))), result...)
	}
	return results, a.done()
}

func setPublicKey(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	key := a.felt()
	switch {
	case a.done() != nil:
		return nil, a.done()
	case c.Caller != c.Address:
		return nil, vm.Panic("Account: unauthorized")
	}
	if err := c.Emit([]starknet.Felt{eventOwnerRemoved, c.Load(accountKey)}, nil); err != nil {
		return nil, err
	}
	c.Store(accountKey, key)
	return nil, c.Emit([]starknet.Felt{eventOwnerAdded, key}, nil)
}

// supports implements supports_interface for the given interfaces.
func supports(interfaces ...starknet.Felt) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) {
		a := argumentsOf(c)
		asked := a.felt()
		for _, i := range interfaces {
			if i == asked {
				return flag(true), a.done()
			}
		}
		return flag(false), a.done()
	}
}
