package state

import (
	"cmp"

	"astrolabe/starknet"
)

// Kind says what a cell holds.
type Kind uint8

// The kinds of cell.
const (
	// Storage is a storage cell of a contract.
	Storage Kind = iota
	// Nonce is a contract's nonce.
	Nonce
	// ClassOf is the class of a contract; zero means that there is no contract.
	ClassOf
	// Declared is the compiled class hash of a class, which stands in Key; zero means
	// that the class is not declared.
	Declared
)

// Cell names one felt of the state.
type Cell struct {
	Address starknet.Felt
	Key     starknet.Felt
	Kind    Kind
}

// StorageCell names a storage cell.
func StorageCell(address, key starknet.Felt) Cell { return Cell{address, key, Storage} }

// NonceCell names the nonce of a contract.
func NonceCell(address starknet.Felt) Cell { return Cell{Address: address, Kind: Nonce} }

// ClassCell names the class of a contract.
func ClassCell(address starknet.Felt) Cell { return Cell{Address: address, Kind: ClassOf} }

// DeclaredCell names the declaration of a class.
func DeclaredCell(class starknet.Felt) Cell { return Cell{Key: class, Kind: Declared} }

func compare(a, b Cell) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), a.Address.Cmp(b.Address), a.Key.Cmp(b.Key))
}

// Reader reads cells of one moment. A cell that was never written is zero.
type Reader interface {
	Read(c Cell) starknet.Felt
}
