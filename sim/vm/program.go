package vm

import (
	"astrolabe/starknet"
)

// Class is a class that may be declared: its document and, if its behaviour is
// known, the program that implements it.
type Class struct {
	Name         string
	Hash         starknet.Felt
	CompiledHash starknet.Felt
	Document     starknet.Class
	Program      *Program
}

// Library finds classes by hash.
type Library interface {
	Class(hash starknet.Felt) (*Class, bool)
}

// Function is the behaviour of one entry point.
type Function func(c *Call) ([]starknet.Felt, error)

// Program is the behaviour of a class.
type Program struct {
	constructor Function
	external    map[starknet.Felt]Function
	handlers    map[starknet.Felt]Function
}

// Functions maps the names of entry points to functions.
type Functions map[string]Function

// NewProgram returns a program; a nil constructor takes no arguments and does
// nothing.
func NewProgram(constructor Function, external, l1Handlers Functions) *Program {
	return &Program{constructor, bySelector(external), bySelector(l1Handlers)}
}

func bySelector(functions Functions) map[starknet.Felt]Function {
	selected := make(map[starknet.Felt]Function, len(functions))
	for name, f := range functions {
		selected[starknet.Selector(name)] = f
	}
	return selected
}

// EntryPointType is the kind of an entry point in JSON-RPC.
type EntryPointType string

// The kinds of entry point.
const (
	External    EntryPointType = "EXTERNAL"
	L1Handler   EntryPointType = "L1_HANDLER"
	Constructor EntryPointType = "CONSTRUCTOR"
)

// selectorConstructor is the selector under which constructors run.
var selectorConstructor = starknet.Selector("constructor")

func (p *Program) function(kind EntryPointType, selector starknet.Felt) (Function, bool) {
	switch {
	case p == nil:
		return nil, false
	case kind == L1Handler:
		return lookUp(p.handlers, selector)
	case kind == Constructor:
		if p.constructor == nil {
			return func(*Call) ([]starknet.Felt, error) { return nil, nil }, true
		}
		return p.constructor, true
	}
	return lookUp(p.external, selector)
}

// lookUp finds the function of a selector, or __default__ or __l1_default__,
// whose selector is 0.
func lookUp(functions map[starknet.Felt]Function, selector starknet.Felt) (Function, bool) {
	f, ok := functions[selector]
	if !ok {
		f, ok = functions[starknet.Felt{}]
	}
	return f, ok
}

// Has reports whether an external function of that name exists.
func (p *Program) Has(name string) bool {
	_, ok := p.external[starknet.Selector(name)]
	return ok
}

// Selectors lists the external functions and the L1 handlers.
func (p *Program) Selectors() (external, l1Handlers []starknet.Felt) {
	for s := range p.external {
		external = append(external, s)
	}
	for s := range p.handlers {
		l1Handlers = append(l1Handlers, s)
	}
	return external, l1Handlers
}
