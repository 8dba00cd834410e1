package chain

import (
	"context"
	"maps"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ClassStore keeps the classes that the index has seen.
type ClassStore interface {
	// Classes returns the stored classes of the hashes.
	Classes(ctx context.Context, c domain.Chain, hashes []starknet.Felt) (map[starknet.Felt]*facts.Class, error)
}

// CompiledClasses caches classes with their compiled ABIs, because few classes
// account for most reads. A class never changes under its hash, so entries stay
// valid; classes that are absent or have no ABI are not cached.
type CompiledClasses struct {
	store ClassStore
	known *cache.Weighted[starknet.Felt, *facts.Class]
}

// compiledWeight bounds the cache by the bytes of the ABIs.
const compiledWeight = 32 << 20

// classWeight is the weight of a class without its ABI.
const classWeight = 4 << 10

// NewCompiledClasses makes an empty memory over a store.
func NewCompiledClasses(store ClassStore) *CompiledClasses {
	return &CompiledClasses{store: store, known: cache.NewWeighted[starknet.Felt, *facts.Class](compiledWeight)}
}

// Of returns the indexed classes of the hashes, with at most one read.
func (m *CompiledClasses) Of(ctx context.Context, c domain.Chain, hashes []starknet.Felt) (map[starknet.Felt]*facts.Class, error) {
	found := make(map[starknet.Felt]*facts.Class, len(hashes))
	var unknown []starknet.Felt
	for _, hash := range hashes {
		if class, known := m.known.Get(hash); known {
			found[hash] = class
		} else {
			unknown = append(unknown, hash)
		}
	}
	if len(unknown) == 0 {
		return found, nil
	}
	read, err := m.store.Classes(ctx, c, unknown)
	if err != nil {
		return nil, err
	}
	for hash, class := range read {
		if !class.Missing {
			m.known.Add(hash, class, classWeight+len(class.ABI))
		}
	}
	maps.Copy(found, read)
	return found, nil
}
