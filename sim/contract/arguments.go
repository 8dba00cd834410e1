package contract

import (
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// arguments reads a call's calldata in order. It keeps the first error as err,
// and everything after it reads as zero.
type arguments struct {
	rest []starknet.Felt
	err  error
}

func argumentsOf(c *vm.Call) *arguments { return &arguments{rest: c.Calldata} }

func (a *arguments) fail() {
	if a.err == nil {
		a.err = vm.Panic("Failed to deserialize param")
	}
	a.rest = nil
}

func (a *arguments) felt() starknet.Felt {
	if len(a.rest) == 0 {
		a.fail()
		return starknet.Felt{}
	}
	f := a.rest[0]
	a.rest = a.rest[1:]
	return f
}

func (a *arguments) u256() vm.U256 {
	value, ok := vm.FromHalves(a.felt(), a.felt())
	if !ok {
		a.fail()
	}
	return value
}

func (a *arguments) u128() vm.U256 {
	value, ok := vm.FromHalves(a.felt(), starknet.Felt{})
	if !ok {
		a.fail()
	}
	return value
}

// count reads a length and checks that the calldata can hold as many items of
// the given size.
func (a *arguments) count(size int) int {
	n, ok := a.felt().Count(len(a.rest) / max(size, 1))
	if !ok {
		a.fail()
	}
	return n
}

func (a *arguments) felts() []starknet.Felt {
	n := a.count(1)
	if a.err != nil {
		return nil
	}
	felts := a.rest[:n:n]
	a.rest = a.rest[n:]
	return felts
}

func (a *arguments) text() []byte {
	text, used, err := starknet.DecodeByteArray(a.rest)
	if err != nil {
		a.fail()
		return nil
	}
	a.rest = a.rest[used:]
	return text
}

// done fails if calldata is left over.
func (a *arguments) done() error {
	if a.err == nil && len(a.rest) > 0 {
		return vm.Panic("Input too long for arguments")
	}
	return a.err
}

func u256Felts(value vm.U256) []starknet.Felt {
	low, high := value.Halves()
	return []starknet.Felt{low, high}
}

func flag(b bool) []starknet.Felt {
	if b {
		return []starknet.Felt{starknet.FeltFromUint64(1)}
	}
	return []starknet.Felt{{}}
}

func (a *arguments) u256s() []vm.U256 {
	values := make([]vm.U256, a.count(2))
	for i := range values {
		values[i] = a.u256()
	}
	return values
}

func appendU256s(felts []starknet.Felt, values []vm.U256) []starknet.Felt {
	felts = append(felts, starknet.FeltFromUint64(uint64(len(values))))
	for _, v := range values {
		felts = append(felts, u256Felts(v)...)
	}
	return felts
}
