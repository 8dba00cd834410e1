package chain

import (
	"context"
	"maps"
	"sync"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ClassStore keeps the classes that the index has seen.
type ClassStore interface {
	// Classes returns the stored classes among the hashes.
	Classes(ctx context.Context, c domain.Chain, hashes []starknet.Felt) (map[starknet.Felt]*facts.Class, error)
}

// CompiledClasses remembers classes with their compiled ABIs, because a few
// classes are behind most of what is read. A class never changes under its
// hash, so that what is remembered stays true; a class that the store does not
// have, or whose document the node did not have, is asked for again.
type CompiledClasses struct {
	store ClassStore

	mu sync.Mutex
	// Two generations bound the memory: when the young one is full it becomes
	// the old one, and what nobody has asked for since then is forgotten.
	young, old map[starknet.Felt]*facts.Class
	weight     int // of the young generation
}

// compiledWeight bounds a generation by the bytes of its ABIs.
const compiledWeight = 16 << 20

// classWeight is what a class weighs beside its ABI.
const classWeight = 4 << 10

// NewCompiledClasses makes an empty memory over a store.
func NewCompiledClasses(store ClassStore) *CompiledClasses {
	return &CompiledClasses{store: store, young: map[starknet.Felt]*facts.Class{}}
}

// Of returns the classes among the hashes that the index knows, from one read
// at most.
func (m *CompiledClasses) Of(ctx context.Context, c domain.Chain, hashes []starknet.Felt) (map[starknet.Felt]*facts.Class, error) {
	found := make(map[starknet.Felt]*facts.Class, len(hashes))
	unknown := m.recall(hashes, found)
	if len(unknown) == 0 {
		return found, nil
	}
	read, err := m.store.Classes(ctx, c, unknown)
	if err != nil {
		return nil, err
	}
	m.keep(read)
	maps.Copy(found, read)
	return found, nil
}

// recall copies what is remembered and returns the other hashes.
func (m *CompiledClasses) recall(hashes []starknet.Felt, into map[starknet.Felt]*facts.Class) (unknown []starknet.Felt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, hash := range hashes {
		class := m.young[hash]
		if class == nil {
			if class = m.old[hash]; class != nil {
				m.add(class)
			}
		}
		if class == nil {
			unknown = append(unknown, hash)
		} else {
			into[hash] = class
		}
	}
	return unknown
}

func (m *CompiledClasses) keep(classes map[starknet.Felt]*facts.Class) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, class := range classes {
		if !class.Missing && m.young[class.Hash] == nil {
			m.add(class)
		}
	}
}

func (m *CompiledClasses) add(class *facts.Class) {
	if m.weight > compiledWeight {
		m.old, m.young, m.weight = m.young, map[starknet.Felt]*facts.Class{}, 0
	}
	m.young[class.Hash] = class
	m.weight += classWeight + len(class.ABI)
}
