package abi

import (
	"errors"
	"fmt"

	"astrolabe/starknet"
)

// Schema is a compiled ABI. It is immutable and safe for concurrent use.
type Schema struct {
	layouts     []*EventLayout
	events      map[starknet.Felt][]*EventLayout
	functions   map[starknet.Felt]*Function
	l1Handlers  map[starknet.Felt]*Function
	constructor *Function
}

// Function is an entry point with its inputs and outputs. It is immutable.
type Function struct {
	Name     string
	Selector starknet.Felt
	Inputs   []Param
	Outputs  []Param
	// View reports whether the ABI declares the function as read-only.
	View bool

	unsupportedInputs, unsupportedOutputs error
}

// UnsupportedInputs returns why the function's calldata cannot be decoded, or nil.
func (f *Function) UnsupportedInputs() error { return f.unsupportedInputs }

// UnsupportedOutputs returns why the function's result cannot be decoded, or nil.
func (f *Function) UnsupportedOutputs() error { return f.unsupportedOutputs }

// Compile reads an ABI, the JSON array of either language version. It returns
// ErrMalformedABI if it cannot be parsed or if the schema would be too large. A
// type that cannot be decoded affects only the events and functions that use
// it.
func Compile(text []byte) (*Schema, error) {
	entries, err := parseDocument(text)
	if err != nil {
		return nil, err
	}
	b := newBudget(len(text))
	types := newResolver(entries, b)
	s := &Schema{
		events:     map[starknet.Felt][]*EventLayout{},
		functions:  map[starknet.Felt]*Function{},
		l1Handlers: map[starknet.Felt]*Function{},
	}
	if s.layouts, err = compileEvents(entries, types); err != nil {
		return nil, err
	}
	for _, l := range s.layouts {
		s.events[l.Selectors[0]] = append(s.events[l.Selectors[0]], l)
	}
	for _, e := range entries {
		s.addFunctions(e, types)
	}
	if b.left < 0 {
		return nil, errTooLarge
	}
	return s, nil
}

func (s *Schema) addFunctions(e *entry, types *resolver) {
	switch e.Type {
	case "interface":
		for _, item := range e.Items {
			if item.Type == "function" {
				addFunction(s.functions, compileFunction(item, types))
			}
		}
	case "function":
		addFunction(s.functions, compileFunction(e, types))
	case "l1_handler":
		addFunction(s.l1Handlers, compileFunction(e, types))
	case "constructor":
		s.constructor = compileFunction(e, types)
	}
}

func compileFunction(e *entry, types *resolver) *Function {
	f := &Function{Name: e.Name, Selector: starknet.Selector(e.Name), View: e.StateMutability == "view" || e.Cairo0View == "view"}
	f.Inputs, f.unsupportedInputs = types.params(e.Inputs, FromData)
	f.Outputs, f.unsupportedOutputs = types.params(e.Outputs, FromData)
	return f
}

// addFunction adds a function. Another function with the same selector and
// other types makes both undecodable.
func addFunction(functions map[starknet.Felt]*Function, f *Function) {
	if old := functions[f.Selector]; old != nil {
		if errors.Is(old.unsupportedInputs, ErrAmbiguous) || !sameTypes(old.Inputs, f.Inputs) || !sameTypes(old.Outputs, f.Outputs) {
			f.unsupportedInputs = fmt.Errorf("%w: two functions %.80q", ErrAmbiguous, f.Name)
			f.unsupportedOutputs = f.unsupportedInputs
		}
	}
	functions[f.Selector] = f
}

func sameTypes(a, b []Param) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type.Name != b[i].Type.Name {
			return false
		}
	}
	return true
}

// Events returns the layouts of all events, in the order of the ABI.
func (s *Schema) Events() []*EventLayout { return s.layouts }

// Function returns the external function with that selector, or nil.
func (s *Schema) Function(selector starknet.Felt) *Function { return s.functions[selector] }

// L1Handler returns the L1 handler with that selector, or nil.
func (s *Schema) L1Handler(selector starknet.Felt) *Function { return s.l1Handlers[selector] }

// Constructor returns the constructor, or nil.
func (s *Schema) Constructor() *Function { return s.constructor }

// Ambiguous returns the events whose selector keys are also those of another
// event of this class. Their payloads decode only if exactly one of the layouts
// fits.
func (s *Schema) Ambiguous() []*EventLayout {
	keys := make([]string, len(s.layouts))
	announced := make(map[string]int, len(s.layouts)) // how many events have exactly these keys
	for i, l := range s.layouts {
		var key []byte
		for _, selector := range l.Selectors {
			key = append(key, selector[:]...)
		}
		keys[i] = string(key)
		announced[keys[i]]++
	}
	var list []*EventLayout
	for i, l := range s.layouts {
		others := announced[keys[i]] - 1
		for n := len(starknet.Felt{}); n < len(keys[i]); n += len(starknet.Felt{}) {
			others += announced[keys[i][:n]]
		}
		if others > 0 {
			list = append(list, l)
		}
	}
	return list
}

// EventName returns the name of the event with these keys, without looking at
// the payload. It returns ErrUnknownSelector or, if events of several names are
// possible, ErrAmbiguous.
func (s *Schema) EventName(keys []starknet.Felt) (string, error) {
	candidates := s.candidates(keys)
	if len(candidates) == 0 {
		return "", ErrUnknownSelector
	}
	for _, l := range candidates[1:] {
		if l.Name != candidates[0].Name {
			return "", fmt.Errorf("%w: %.80q or %.80q", ErrAmbiguous, candidates[0].Name, l.Name)
		}
	}
	return candidates[0].Name, nil
}

func (s *Schema) candidates(keys []starknet.Felt) []*EventLayout {
	if len(keys) == 0 {
		return nil
	}
	all := s.events[keys[0]]
	if len(all) == 1 && all[0].announces(keys) {
		return all
	}
	var fitting []*EventLayout
	for _, l := range all {
		if l.announces(keys) {
			fitting = append(fitting, l)
		}
	}
	return fitting
}
