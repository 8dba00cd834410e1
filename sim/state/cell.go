package state

import (
	"cmp"

	"astrolabe/starknet"
)

// Kind is the kind of value in a cell.
type Kind uint8

// The kinds of cell.
const (
	// Storage is a storage cell of a contract.
	Storage Kind = iota
	// Nonce is a contract's nonce.
	Nonce
	// ClassOf is the class of a contract; zero means that there is no contract.
	ClassOf
	// Declared is the compiled class hash of the class in Key, or Cairo0; zero
	// means that the class is not declared.
	Declared
)

// Cairo0 is the value of the declaration of a Cairo 0 class, which has no
// compiled class hash.
var Cairo0 = starknet.FeltFromUint64(1)

// Cell is the key of one felt of the state.
type Cell struct {
	Address starknet.Felt
	Key     starknet.Felt
	Kind    Kind
}

// StorageCell returns a storage cell.
func StorageCell(address, key starknet.Felt) Cell { return Cell{address, key, Storage} }

// NonceCell returns the cell of a contract's nonce.
func NonceCell(address starknet.Felt) Cell { return Cell{Address: address, Kind: Nonce} }

// ClassCell returns the cell of a contract's class.
func ClassCell(address starknet.Felt) Cell { return Cell{Address: address, Kind: ClassOf} }

// DeclaredCell returns the cell of a class's declaration.
func DeclaredCell(class starknet.Felt) Cell { return Cell{Key: class, Kind: Declared} }

func compare(a, b Cell) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), a.Address.Cmp(b.Address), a.Key.Cmp(b.Key))
}

// Reader reads the cells of one state. A cell that was never written is zero.
type Reader interface {
	Read(c Cell) starknet.Felt
}
