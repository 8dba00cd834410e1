package economy

import (
	"sync"

	"astrolabe/starknet"
)

// selectorCache caches selectors, because the script refers to functions by
// name.
var selectorCache sync.Map

func selector(name string) starknet.Felt {
	if known, ok := selectorCache.Load(name); ok {
		return known.(starknet.Felt)
	}
	s := starknet.Selector(name)
	selectorCache.Store(name, s)
	return s
}
