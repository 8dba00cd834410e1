package facts

import (
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// Class is a stored class with its compiled ABI. It is immutable.
type Class struct {
	Hash   starknet.Felt
	Sierra bool
	// ABI is the text as it was declared, of a Cairo 0 class in its canonical
	// form (an index from before that form has the node's); nil when the class has
	// none, or is Missing.
	ABI []byte
	// Missing reports that no definition of the class is known that has its hash.
	Missing bool
	// Standard is the token standard of the ABI; empty if none.
	Standard Standard
	// Account reports whether the ABI has the entry points of an account.
	Account   bool
	Events    []EventSchema
	Functions []FunctionSchema

	schema    *abi.Schema                     // nil without a readable ABI
	transfers map[starknet.Felt][]classLayout // by first key
	pool      map[starknet.Felt]bool          // selectors of a privacy pool's events, and whether they have their layouts
}

// classLayout is an event of a class, and how it moves tokens; token is nil
// when it does not.
type classLayout struct {
	layout *abi.EventLayout
	token  *tokenLayout
}

// NewClass makes a class from the node's answer. An ABI that cannot be read is
// kept and otherwise ignored.
func NewClass(hash starknet.Felt, class starknet.Class) *Class {
	text := class.ABI()
	if class.Sierra == nil {
		text = starknet.CanonicalABI(text)
	}
	return StoredClass(hash, class.Sierra != nil, text, false)
}

// MissingClass is a class that the node does not have or cannot prove.
func MissingClass(hash starknet.Felt) *Class {
	return StoredClass(hash, false, nil, true)
}

// StoredClass makes a class from its stored columns, equal to the one made from
// the node's response.
func StoredClass(hash starknet.Felt, sierra bool, text []byte, missing bool) *Class {
	c := &Class{Hash: hash, Sierra: sierra, Missing: missing}
	if len(text) == 0 || string(text) == "null" {
		return c
	}
	c.ABI = text
	schema, err := abi.Compile(text)
	if err != nil {
		return c
	}
	c.schema = schema
	c.Standard, c.Account = classify(schema)
	c.Events, c.Functions = eventSchemas(schema), functionSchemas(schema, text)
	c.transfers = tokenLayouts(schema, c.Standard)
	c.pool = poolDeclarations(schema)
	return c
}

// canonicalABI returns the ABI in the form in which classes are compared.
func (c *Class) canonicalABI() []byte {
	if c.Sierra { // the hash covers the text as it is
		return c.ABI
	}
	return starknet.CanonicalABI(c.ABI)
}

// TypesTransfers reports whether rows that are derived from events can depend on
// the class: it has a token standard, events that can announce a transfer, or a
// proxy's entry point.
func (c *Class) TypesTransfers() bool {
	return c.Standard != "" || len(c.transfers) > 0 || c.Families() != nil
}

// Schema returns the compiled ABI, or nil when there is none that can be read.
func (c *Class) Schema() *abi.Schema { return c.schema }

// tokenLayouts lists by first key all events that can be meant where one is
// meant that moves tokens.
func tokenLayouts(schema *abi.Schema, standard Standard) map[starknet.Felt][]classLayout {
	list := map[starknet.Felt][]classLayout{}
	for _, l := range schema.Events() {
		if isCandidate(l.Selectors) {
			list[l.Selectors[0]] = nil
		}
	}
	for _, l := range schema.Events() {
		if others, ok := list[l.Selectors[0]]; ok {
			list[l.Selectors[0]] = append(others, classLayout{l, recognise(l, standard)})
		}
	}
	return list
}

// EventSchema is an event of a class, materialised for readers.
type EventSchema struct {
	Selector starknet.Felt // the first key
	Name     string
	Path     []string // the names whose selectors are the first keys
	Fields   []FieldSchema
	// Unsupported is why payloads cannot be decoded; empty if they can.
	Unsupported string
	// Ambiguous reports that another event of the class has the same keys.
	Ambiguous bool
}

// FunctionSchema is an entry point of a class, materialised for readers.
type FunctionSchema struct {
	Selector    starknet.Felt
	Name        string
	View        bool
	L1Handler   bool
	Inputs      []FieldSchema
	Outputs     []FieldSchema
	Unsupported string
}

// FieldSchema is a named and typed place of a payload.
type FieldSchema struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Source string `json:"source,omitempty"` // key or data, for events
}

// Runtime is the class of a contract around one block. Both are nil when the
// history before the first indexed block is unknown.
type Runtime struct {
	Before *Class // in force when the block began; nil when there was no contract
	After  *Class // in force when it ended

	// The classes that a proxy executed when the block began and when it ended;
	// nil if the class is not a proxy, or if it is unknown what it executes.
	ImplementationBefore, ImplementationAfter *Class
}

// View answers which classes an address had and executed around one block.
type View interface {
	Runtime(address starknet.Felt) Runtime
}
