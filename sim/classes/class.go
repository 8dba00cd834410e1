package classes

import (
	"encoding/json"
	"fmt"
	"sync"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// Class is a compiled contract class. It is immutable.
type Class struct {
	// Name is unique here, such as "erc20_keyed".
	Name string
	// Package is the Cairo package that the class was compiled as.
	Package string
	// Hash is the class hash.
	Hash starknet.Felt
	// CompiledHash is a placeholder for the compiled class hash; see the
	// function CompiledHash. A Cairo 0 class has none.
	CompiledHash starknet.Felt
	// Document is the class as a node returns it, in compact JSON.
	Document []byte

	schema func() (*abi.Schema, error)
}

func newClass(entry entry, document []byte) *Class {
	return &Class{
		Name:         entry.Name,
		Package:      entry.Package,
		Hash:         entry.ClassHash,
		CompiledHash: entry.CompiledClassHash,
		Document:     document,
		schema: sync.OnceValues(func() (*abi.Schema, error) {
			var class starknet.Class
			if err := json.Unmarshal(document, &class); err != nil {
				return nil, fmt.Errorf("class %s: %w", entry.Name, err)
			}
			return abi.Compile(class.ABI())
		}),
	}
}

// Schema returns the class's ABI, which is compiled on first use.
func (c *Class) Schema() (*abi.Schema, error) { return c.schema() }

// CompiledHash returns the compiled class hash of a class on the simulated
// chain: poseidon("ASTROLABE_SIM_CASM", class hash). On chain it is the hash of
// the machine code, which nothing here can produce.
func CompiledHash(classHash starknet.Felt) starknet.Felt {
	return starknet.Poseidon(starknet.MustShortString("ASTROLABE_SIM_CASM"), classHash)
}
