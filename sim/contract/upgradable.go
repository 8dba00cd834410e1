package contract

import (
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varValue = storageVariable("value")

	eventUpgraded = starknet.Selector("Upgraded")
	eventBumped   = starknet.Selector("Bumped")
	eventReset    = starknet.Selector("Reset")
)

// upgradable is a counter whose class can be replaced; its second class has other fields
// in the event of the same name.
func upgradable(second bool) *vm.Program {
	functions := vm.Functions{
		"version": constant(starknet.FeltFromUint64(1)),
		"value":   feltView(varValue),
		"bump":    bump,
		"upgrade": upgrade,
	}
	if second {
		functions = vm.Functions{
			"version": constant(starknet.FeltFromUint64(2)),
			"value": func(c *vm.Call) ([]starknet.Felt, error) {
				return []starknet.Felt{c.Load(varValue), {}}, nil
			},
			"bump": bumpBy,
			"reset": func(c *vm.Call) ([]starknet.Felt, error) {
				c.Store(varValue, starknet.Felt{})
				return nil, c.Emit([]starknet.Felt{eventReset}, nil)
			},
			"upgrade": upgrade,
		}
	}
	return vm.NewProgram(func(c *vm.Call) ([]starknet.Felt, error) {
		a := argumentsOf(c)
		c.Store(varOwner, a.felt())
		return nil, a.done()
	}, functions, nil)
}

func bump(c *vm.Call) ([]starknet.Felt, error) {
	before, _ := c.Load(varValue).Uint64()
	after := starknet.FeltFromUint64(before + 1)
	c.Store(varValue, after)
	return nil, c.Emit([]starknet.Felt{eventBumped, c.Caller}, []starknet.Felt{after})
}

func bumpBy(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	by, ok := a.felt().Uint64()
	reason := a.felt()
	before, _ := c.Load(varValue).Uint64()
	switch {
	case a.done() != nil:
		return nil, a.done()
	case !ok:
		return nil, vm.Panic("Failed to deserialize param")
	case before+by < before:
		return nil, vm.Panic("u64_add Overflow")
	}
	after := starknet.FeltFromUint64(before + by)
	data := []starknet.Felt{c.Load(varValue), {}, after, {}}
	c.Store(varValue, after)
	return nil, c.Emit([]starknet.Felt{eventBumped, c.Caller, reason}, data)
}

// upgrade replaces the contract's class; only its owner may call it.
func upgrade(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	class := a.felt()
	switch {
	case a.done() != nil:
		return nil, a.done()
	case c.Caller != c.Load(varOwner):
		return nil, vm.Panic("only owner")
	case class.IsZero():
		return nil, vm.Panic("class hash is zero")
	}
	if err := c.ReplaceClass(class); err != nil {
		return nil, err
	}
	return nil, c.Emit([]starknet.Felt{eventUpgraded}, []starknet.Felt{class})
}
