package contract

import (
	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varPairClass = storageVariable("pair_class")
	varFeeTo     = storageVariable("fee_to")
	varCount     = storageVariable("count")
	varPairs     = storageVariable("pairs")

	eventPairCreated = starknet.Selector("PairCreated")
)

// ammFactory creates one pair for every two tokens.
func ammFactory() *vm.Program {
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			c.Store(varPairClass, a.felt())
			c.Store(varFeeTo, a.felt())
			return nil, a.done()
		},
		vm.Functions{
			"create_pair": createPair,
			"get_pair": func(c *vm.Call) ([]starknet.Felt, error) {
				a := argumentsOf(c)
				token0, token1 := Ordered(a.felt(), a.felt())
				return []starknet.Felt{c.Load(element(varPairs, token0, token1))}, a.done()
			},
			"get_num_of_pairs": feltView(varCount),
			"get_fee_to":       feltView(varFeeTo),
		}, nil)
}

// Ordered returns two tokens in the order of their addresses.
func Ordered(a, b starknet.Felt) (token0, token1 starknet.Felt) {
	if a.Cmp(b) > 0 {
		return b, a
	}
	return a, b
}

func createPair(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	token0, token1 := Ordered(a.felt(), a.felt())
	known := element(varPairs, token0, token1)
	switch {
	case a.done() != nil:
		return nil, a.done()
	case token0 == token1:
		return nil, vm.Panic("identical tokens")
	case !c.Load(known).IsZero():
		return nil, vm.Panic("pair exists")
	}
	count, _ := c.Load(varCount).Uint64()
	total := starknet.FeltFromUint64(count + 1)
	pair, err := c.Deploy(c.Load(varPairClass), total, c.Address, []starknet.Felt{token0, token1})
	if err != nil {
		return nil, err
	}
	c.Store(known, pair)
	c.Store(varCount, total)
	return []starknet.Felt{pair}, c.Emit([]starknet.Felt{eventPairCreated}, []starknet.Felt{token0, token1, pair, total})
}

// PairOf reads the pair of two tokens; zero if there is none.
func PairOf(on state.Reader, factory, a, b starknet.Felt) starknet.Felt {
	token0, token1 := Ordered(a, b)
	return on.Read(state.StorageCell(factory, element(varPairs, token0, token1)))
}
