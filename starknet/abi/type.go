package abi

// Shape is how a type is serialised.
type Shape uint8

// The shapes. Types that are serialised like their content (snapshots, boxes) have the
// shape of their content.
const (
	ShapeUnit Shape = iota
	ShapeFelt
	ShapeBool
	ShapeUint
	ShapeInt
	ShapeU256
	ShapeContractAddress
	ShapeEthAddress
	ShapeClassHash
	ShapeBytes31
	ShapeByteArray
	ShapeNonZero
	ShapeArray
	ShapeFixedArray
	ShapePointer
	ShapeTuple
	ShapeStruct
	ShapeEnum
)

// Type is a fully resolved type of an ABI. It is immutable.
type Type struct {
	// Name is the type's name in the ABI.
	Name  string
	Shape Shape
	// Bits is the width of a ShapeUint or ShapeInt.
	Bits int
	// Elem is the element of arrays and pointers and the content of ShapeNonZero.
	Elem *Type
	// Len is the length of a ShapeFixedArray.
	Len int
	// Members are the fields of a struct or tuple and the variants of an enum.
	Members []Member
	// minFelts is the smallest number of felts that a value takes.
	minFelts int
}

// Member is a field or variant with its type.
type Member struct {
	Name string
	Type *Type
}

// isScalar reports whether a value is exactly one felt.
func (t *Type) isScalar() bool {
	switch t.Shape {
	case ShapeFelt, ShapeBool, ShapeUint, ShapeInt, ShapeContractAddress, ShapeEthAddress, ShapeClassHash, ShapeBytes31:
		return true
	}
	return false
}

// scalarTypes are the types of both language versions that are known by name.
var scalarTypes = map[string]Type{
	"felt":                        {Shape: ShapeFelt},
	"core::felt":                  {Shape: ShapeFelt},
	"core::felt252":               {Shape: ShapeFelt},
	"core::bool":                  {Shape: ShapeBool},
	"core::integer::u8":           {Shape: ShapeUint, Bits: 8},
	"core::integer::u16":          {Shape: ShapeUint, Bits: 16},
	"core::integer::u32":          {Shape: ShapeUint, Bits: 32},
	"core::integer::u64":          {Shape: ShapeUint, Bits: 64},
	"core::integer::u128":         {Shape: ShapeUint, Bits: 128},
	"core::integer::usize":        {Shape: ShapeUint, Bits: 32},
	"core::integer::i8":           {Shape: ShapeInt, Bits: 8},
	"core::integer::i16":          {Shape: ShapeInt, Bits: 16},
	"core::integer::i32":          {Shape: ShapeInt, Bits: 32},
	"core::integer::i64":          {Shape: ShapeInt, Bits: 64},
	"core::integer::i128":         {Shape: ShapeInt, Bits: 128},
	"core::integer::u256":         {Shape: ShapeU256},
	"core::bytes_31::bytes31":     {Shape: ShapeBytes31},
	"core::byte_array::ByteArray": {Shape: ShapeByteArray},
	"core::starknet::contract_address::ContractAddress":  {Shape: ShapeContractAddress},
	"core::starknet::class_hash::ClassHash":              {Shape: ShapeClassHash},
	"core::starknet::eth_address::EthAddress":            {Shape: ShapeEthAddress},
	"core::starknet::storage_access::StorageAddress":     {Shape: ShapeFelt},
	"core::starknet::storage_access::StorageBaseAddress": {Shape: ShapeFelt},
}
