package contract

import (
	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varStarkGateClass    = storageVariable("class_hash")
	varOpenZeppelinClass = storageVariable("Proxy_implementation_hash")
	varProxyAdmin        = storageVariable("Proxy_admin")
	varGovernor          = storageVariable("governor")
	varFinalized         = storageVariable("finalized")
	varImplementations   = storageVariable("implementation_time")

	callInitialize = starknet.Selector("initialize")
)

// forward executes the class in a slot, with its event and its storage under
// the address of the proxy.
func forward(slot variable) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) {
		return c.LibraryCall(c.Load(slot), c.Selector, c.Calldata...)
	}
}

// proxyStarkGate is the proxy of the first bridged tokens: a governor upgrades
// it in two steps, and its implementation is initialised by the upgrade.
func proxyStarkGate() *vm.Program {
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			_ = a.felt() // the delay, which the simulation does not wait for
			return nil, a.done()
		},
		vm.Functions{
			"__default__":    forward(varStarkGateClass),
			"implementation": feltView(varStarkGateClass),
			"finalized":      feltView(varFinalized),
			"is_governor": func(c *vm.Call) ([]starknet.Felt, error) {
				a := argumentsOf(c)
				return flag(a.felt() == c.Load(varGovernor)), a.done()
			},
			"init_governance": func(c *vm.Call) ([]starknet.Felt, error) {
				if !c.Load(varGovernor).IsZero() {
					return nil, vm.Panic("ALREADY_INITIALIZED")
				}
				c.Store(varGovernor, c.Caller)
				return nil, c.Emit(names("governance_accepted"), []starknet.Felt{c.Caller})
			},
			"implementation_time": func(c *vm.Call) ([]starknet.Felt, error) {
				a := argumentsOf(c)
				class, _, _ := a.upgrade()
				return []starknet.Felt{c.Load(element(varImplementations, class))}, a.done()
			},
			"add_implementation": addImplementation,
			"upgrade_to":         upgradeImplementation,
			"initialize": func(*vm.Call) ([]starknet.Felt, error) {
				return nil, vm.Panic("DIRECT_CALL_PROHIBITED")
			},
		},
		vm.Functions{"__l1_default__": forward(varStarkGateClass)})
}

// upgrade reads an implementation, an external initialiser, which must be zero,
// the arguments of its initialisation, and whether it is the last one.
func (a *arguments) upgrade() (class starknet.Felt, initial []starknet.Felt, final starknet.Felt) {
	class = a.felt()
	if !a.felt().IsZero() {
		a.fail()
	}
	return class, a.felts(), a.felt()
}

func addImplementation(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	class, _, _ := a.upgrade()
	switch {
	case a.done() != nil:
		return nil, a.done()
	case c.Caller != c.Load(varGovernor):
		return nil, vm.Panic("ONLY_GOVERNOR")
	}
	c.Store(element(varImplementations, class), starknet.FeltFromUint64(c.Block().Timestamp))
	return nil, c.Emit(names("implementation_added"), c.Calldata)
}

func upgradeImplementation(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	class, initial, final := a.upgrade()
	switch {
	case a.done() != nil:
		return nil, a.done()
	case c.Caller != c.Load(varGovernor):
		return nil, vm.Panic("ONLY_GOVERNOR")
	case !c.Load(varFinalized).IsZero():
		return nil, vm.Panic("FINALIZED")
	case c.Load(element(varImplementations, class)).IsZero():
		return nil, vm.Panic("NOT_ENABLED_YET")
	}
	c.Store(varStarkGateClass, class)
	c.Store(varFinalized, final)
	if len(initial) > 0 {
		count := starknet.FeltFromUint64(uint64(len(initial)))
		if _, err := c.LibraryCall(class, callInitialize, append([]starknet.Felt{count}, initial...)...); err != nil {
			return nil, err
		}
	}
	if err := c.Emit(names("implementation_upgraded"), c.Calldata[:len(c.Calldata)-1]); err != nil || final.IsZero() {
		return nil, err
	}
	return nil, c.Emit(names("implementation_finalized"), []starknet.Felt{class})
}

// proxyOpenZeppelin is a proxy that only forwards: its implementation upgrades
// it.
func proxyOpenZeppelin() *vm.Program {
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			class, selector, calldata := a.felt(), a.felt(), a.felts()
			if err := a.done(); err != nil {
				return nil, err
			}
			if err := setImplementation(c, class); err != nil {
				return nil, err
			}
			_, err := c.LibraryCall(class, selector, calldata...)
			return nil, err
		},
		vm.Functions{"__default__": forward(varOpenZeppelinClass)},
		vm.Functions{"__l1_default__": forward(varOpenZeppelinClass)})
}

func setImplementation(c *vm.Call, class starknet.Felt) error {
	c.Store(varOpenZeppelinClass, class)
	return c.Emit(names("Upgraded"), []starknet.Felt{class})
}

// ImplementationOf reads the class that a proxy executes; zero if the contract
// is none.
func ImplementationOf(on state.Reader, proxy starknet.Felt) starknet.Felt {
	if class := on.Read(state.StorageCell(proxy, varStarkGateClass)); !class.IsZero() {
		return class
	}
	return on.Read(state.StorageCell(proxy, varOpenZeppelinClass))
}
