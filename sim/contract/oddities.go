package contract

import (
	"math/big"

	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// oddities emits events of every awkward shape. It passes structures on without
// checking them, unless it needs their members.
func oddities() *vm.Program {
	return vm.NewProgram(nil, vm.Functions{
		"happen": func(c *vm.Call) ([]starknet.Felt, error) {
			return nil, c.Emit([]starknet.Felt{starknet.Selector("EverythingHappened"), c.Caller}, c.Calldata)
		},
		"echo":    func(c *vm.Call) ([]starknet.Felt, error) { return c.Calldata, nil },
		"credit":  booking("Credited"),
		"debit":   booking("Debited"),
		"notice":  notice,
		"forget":  func(c *vm.Call) ([]starknet.Felt, error) { return nil, c.Emit(names("Forgotten"), nil) },
		"dive":    dive,
		"sink":    sink,
		"nothing": func(c *vm.Call) ([]starknet.Felt, error) { return nil, c.Emit(names("Empty"), nil) },
		"announce": func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			keys := append(names("TwentyKeys"), a.felt())
			for i := range uint64(18) {
				keys = append(keys, starknet.FeltFromUint64(i+2))
			}
			if err := a.done(); err != nil {
				return nil, err
			}
			return nil, c.Emit(keys, nil)
		},
		"tag":            tag,
		"privacy_invoke": privacyInvoke,
		"emit_raw":       emitRaw,
	}, nil)
}

// emitRaw emits the keys and data of its arguments.
func emitRaw(c *vm.Call) ([]starknet.Felt, error) { return nil, emit(c, argumentsOf(c)) }

func emit(c *vm.Call, a *arguments) error {
	keys, data := a.felts(), a.felts()
	if err := a.done(); err != nil {
		return err
	}
	return c.Emit(keys, data)
}

// names returns the selectors of nested events, outermost first.
func names(path ...string) []starknet.Felt {
	felts := make([]starknet.Felt, len(path))
	for i, name := range path {
		felts[i] = starknet.Selector(name)
	}
	return felts
}

func booking(event string) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) {
		a := argumentsOf(c)
		account, amount := a.felt(), a.u256()
		if err := a.done(); err != nil {
			return nil, err
		}
		return nil, c.Emit(append(names("LedgerEvent", event), account), u256Felts(amount))
	}
}

func notice(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	subject, note := a.felt(), a.text()
	if err := a.done(); err != nil {
		return nil, err
	}
	return nil, c.Emit(append(names("Noticed"), subject), starknet.AppendByteArray(nil, note))
}

func dive(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	depth, value := a.felt(), a.felt()
	if err := a.done(); err != nil {
		return nil, err
	}
	if err := c.Emit(append(names("Outer", "Inner", "Deep"), depth), []starknet.Felt{value}); err != nil {
		return nil, err
	}
	return nil, c.Emit(names("Outer", "Shallow"), []starknet.Felt{value})
}

// privacyInvoke is the function that a privacy pool calls.
func privacyInvoke(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	value := a.felt()
	if err := a.done(); err != nil {
		return nil, err
	}
	return nil, c.Emit(names("Outer", "Shallow"), []starknet.Felt{value})
}

func sink(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	name, x, y := a.text(), a.felt(), a.felt()
	if err := a.done(); err != nil {
		return nil, err
	}
	if err := c.Emit(append(names("Floating"), x, y), nil); err != nil {
		return nil, err
	}
	return nil, c.Emit(append(names("Sunken", "Wreck"), x, y), starknet.AppendByteArray(nil, name))
}

// minusOne is -1 as a felt.
var minusOne = func() starknet.Felt {
	f, err := starknet.FeltFromBig(new(big.Int).Sub(starknet.Prime(), big.NewInt(1)))
	if err != nil {
		panic(err)
	}
	return f
}()

// tag emits an event with keys and data of every size in turn.
func tag(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	amount, text, list, x, y := a.u256(), a.text(), a.felts(), a.felt(), a.felt()
	if err := a.done(); err != nil {
		return nil, err
	}
	one, two, three := starknet.FeltFromUint64(1), starknet.FeltFromUint64(2), starknet.FeltFromUint64(3)
	keys := append(names("ManyKeys"), u256Felts(amount)...)
	keys = starknet.AppendByteArray(keys, text)
	keys = append(append(keys, starknet.FeltFromUint64(uint64(len(list)))), list...)
	keys = append(keys, two, x, y)                                        // pair
	keys = append(keys, starknet.Felt{}, three)                           // maybe: Some
	keys = append(keys, starknet.MustShortString("tag"), starknet.Felt{}) // tagged
	data := append([]starknet.Felt{one, one, minusOne, one}, u256Felts(amount)...)
	data = append(data, two, x, y, x, y, starknet.MustShortString("last")) // shape: Segment
	return nil, c.Emit(keys, data)
}
