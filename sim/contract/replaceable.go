package contract

import (
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var varAdded = storageVariable("added")

// replaceable is the component that replaces a contract's class in two steps.
func replaceable() vm.Functions {
	return vm.Functions{
		"add_new_implementation": func(c *vm.Call) ([]starknet.Felt, error) {
			return nil, announce(c, true, "ImplementationAdded")
		},
		"remove_implementation": func(c *vm.Call) ([]starknet.Felt, error) {
			return nil, announce(c, false, "ImplementationRemoved")
		},
		"replace_to": replaceTo,
	}
}

// implementation reads an ImplementationData: a class, an optional initialiser, a finality.
func (a *arguments) implementation() (class starknet.Felt, final bool) {
	class = a.felt()
	if a.felt().IsZero() {
		_, _ = a.felt(), a.felts()
	}
	return class, !a.felt().IsZero()
}

func announce(c *vm.Call, added bool, event string) error {
	a := argumentsOf(c)
	class, _ := a.implementation()
	if err := a.done(); err != nil {
		return err
	}
	c.Store(element(varAdded, class), flag(added)[0])
	return c.Emit(names(event), c.Calldata)
}

func replaceTo(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	class, final := a.implementation()
	switch {
	case a.done() != nil:
		return nil, a.done()
	case c.Load(element(varAdded, class)).IsZero():
		return nil, vm.Panic("UNKNOWN_IMPLEMENTATION")
	}
	if err := c.ReplaceClass(class); err != nil {
		return nil, err
	}
	if err := c.Emit(names("ImplementationReplaced"), c.Calldata); err != nil || !final {
		return nil, err
	}
	return nil, c.Emit(names("ImplementationFinalized"), []starknet.Felt{class})
}
