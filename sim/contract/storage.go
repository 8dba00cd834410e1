package contract

import (
	"sync"

	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// variable is the storage address of a variable or the base of a map.
type variable = starknet.Felt

func storageVariable(name string) variable { return starknet.Selector(name) }

// element returns the address of a map's element.
func element(base variable, keys ...starknet.Felt) starknet.Felt {
	for _, key := range keys {
		base = addresses.pedersen(base, key)
	}
	return base
}

// addresses caches the hashes of map elements, which are expensive and needed
// often. It is cleared when it is full.
var addresses = addressCache{known: map[[2]starknet.Felt]starknet.Felt{}}

const maxAddresses = 1 << 18

type addressCache struct {
	mu    sync.RWMutex
	known map[[2]starknet.Felt]starknet.Felt
}

func (a *addressCache) pedersen(base, key starknet.Felt) starknet.Felt {
	pair := [2]starknet.Felt{base, key}
	a.mu.RLock()
	hash, ok := a.known[pair]
	a.mu.RUnlock()
	if ok {
		return hash
	}
	hash = starknet.Pedersen(base, key)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= maxAddresses {
		clear(a.known)
	}
	a.known[pair] = hash
	return hash
}

// next returns the address after f, which has the high half of a u256.
func next(f starknet.Felt) starknet.Felt {
	for i := len(f) - 1; i >= 0; i-- {
		if f[i]++; f[i] != 0 {
			break
		}
	}
	return f
}

func loadU256(c *vm.Call, key starknet.Felt) vm.U256 {
	value, _ := vm.FromHalves(c.Load(key), c.Load(next(key)))
	return value
}

func storeU256(c *vm.Call, key starknet.Felt, value vm.U256) {
	low, high := value.Halves()
	c.Store(key, low)
	if second := next(key); !high.IsZero() || !c.Load(second).IsZero() {
		c.Store(second, high)
	}
}

// addU256 and subU256 change a stored number and fail on overflow.
func addU256(c *vm.Call, key starknet.Felt, by vm.U256) error {
	sum, fits := loadU256(c, key).Add(by)
	if !fits {
		return vm.Panic("u256_add Overflow")
	}
	storeU256(c, key, sum)
	return nil
}

func subU256(c *vm.Call, key starknet.Felt, by vm.U256) error {
	rest, fits := loadU256(c, key).Sub(by)
	if !fits {
		return vm.Panic("u256_sub Overflow")
	}
	storeU256(c, key, rest)
	return nil
}

func storeText(c *vm.Call, key variable, text []byte) {
	felts := starknet.AppendByteArray(nil, text)
	c.Store(key, starknet.FeltFromUint64(uint64(len(text))))
	for i, word := range felts[1 : len(felts)-1] {
		c.Store(element(key, starknet.FeltFromUint64(uint64(i))), word)
	}
}

// loadText returns a stored ByteArray in serialised form.
func loadText(c *vm.Call, key variable) []starknet.Felt {
	length, _ := c.Load(key).Uint64()
	words := length / 31
	felts := []starknet.Felt{starknet.FeltFromUint64(words)}
	for i := range words + 1 {
		felts = append(felts, c.Load(element(key, starknet.FeltFromUint64(i))))
	}
	return append(felts, starknet.FeltFromUint64(length%31))
}
