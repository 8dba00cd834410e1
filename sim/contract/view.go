package contract

import (
	"maps"

	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// feltView returns one storage cell.
func feltView(key variable) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) { return []starknet.Felt{c.Load(key)}, nil }
}

// u256View returns a stored u256.
func u256View(key variable) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) { return u256Felts(loadU256(c, key)), nil }
}

// textView returns a stored ByteArray.
func textView(key variable) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) { return loadText(c, key), nil }
}

// mapView returns the element of a map with the given number of keys.
func mapView(base variable, keys int) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) {
		if len(c.Calldata) != keys {
			return nil, vm.Panic("Failed to deserialize param")
		}
		return []starknet.Felt{c.Load(element(base, c.Calldata...))}, nil
	}
}

// constant always returns the same felts.
func constant(felts ...starknet.Felt) vm.Function {
	return func(*vm.Call) ([]starknet.Felt, error) { return felts, nil }
}

// with merges two sets of functions.
func with(functions, more vm.Functions) vm.Functions {
	maps.Copy(functions, more)
	return functions
}
