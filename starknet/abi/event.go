package abi

import (
	"fmt"
	"reflect"
	"slices"

	"astrolabe/starknet"
)

// EventLayout is one event that a class can emit, with its selector keys and
// its fields. It is immutable.
type EventLayout struct {
	// Name is the event's own name: the last element of Path.
	Name string
	// Path holds the names whose selectors are the event's first keys. It has more than
	// one element for an event inside a nested enum.
	Path []string
	// Selectors are the selectors of Path.
	Selectors []starknet.Felt
	// TypeName is the full name of the event's struct; for Cairo 0 it is the name.
	TypeName string
	// Params are the fields: those of the keys in their order, and those of the data in theirs.
	Params []Param

	unsupported error
}

// Unsupported returns why payloads of this event cannot be decoded, or nil.
func (l *EventLayout) Unsupported() error { return l.unsupported }

// announces reports whether the keys begin with this event's selectors.
func (l *EventLayout) announces(keys []starknet.Felt) bool {
	if len(keys) < len(l.Selectors) {
		return false
	}
	for i, selector := range l.Selectors {
		if keys[i] != selector {
			return false
		}
	}
	return true
}

// Limits of the nesting of events and of how many events and fields it may
// multiply to, far beyond what contracts declare.
const (
	maxEventDepth = 16
	maxEvents     = 1 << 13
)

// eventCompiler lays out the events of an ABI.
type eventCompiler struct {
	types   *resolver
	events  map[string]*entry
	open    map[string]bool
	layouts []*EventLayout
	// visited counts events, variants and members, which may multiply without adding a layout.
	visited int
	// tooLarge is set when a limit was passed.
	tooLarge bool
}

// proceed counts one more event, variant or member, and reports whether to
// continue.
func (c *eventCompiler) proceed(depth, cost int) bool {
	c.visited++
	c.tooLarge = c.tooLarge || c.visited > maxEvents || depth > maxEventDepth || c.types.budget.spend(cost) != nil
	return !c.tooLarge
}

// eventPath is the names of an event and its enclosing variants, and their
// selectors.
type eventPath struct {
	names     []string
	selectors []starknet.Felt
}

func (p eventPath) with(name string) eventPath {
	return eventPath{append(slices.Clip(p.names), name), append(slices.Clip(p.selectors), starknet.Selector(name))}
}

// cost returns the cost of an event with this path, without its fields.
func (p eventPath) cost() int {
	cost := eventCost
	for _, name := range p.names {
		cost += nameCost + len(name)
	}
	return cost
}

// compileEvents returns the layouts of all events that can be emitted: those of
// Cairo 0 and of the first Cairo 1 compilers, which are independent, and those
// reachable from an enum that no other event contains, which is the contract's
// event enum.
func compileEvents(entries []*entry, types *resolver) ([]*EventLayout, error) {
	c := &eventCompiler{types: types, events: map[string]*entry{}, open: map[string]bool{}}
	contained := map[string]bool{}
	for _, e := range entries {
		switch {
		case e.Type != "event":
			continue
		case e.Kind == "":
			c.addPlain(e)
		case c.events[e.Name] != nil && !reflect.DeepEqual(c.events[e.Name], e):
			c.events[e.Name] = &entry{Kind: "conflicting"}
		default:
			c.events[e.Name] = e
		}
		for _, m := range slices.Concat(e.Variants, e.Members) {
			if m.Type != e.Name {
				contained[m.Type] = true
			}
		}
	}
	for _, e := range entries {
		// Of equal definitions, the last one was kept.
		if e.Kind == "enum" && e == c.events[e.Name] && !contained[e.Name] {
			c.addEnum(e, eventPath{})
		}
	}
	if c.tooLarge {
		return nil, errTooLarge
	}
	return c.layouts, nil
}

// addPlain lays out an event without kind: Cairo 0 lists keys and data
// separately, and in the first Cairo 1 everything is data.
func (c *eventCompiler) addPlain(e *entry) {
	path := eventPath{}.with(e.Name)
	if !c.proceed(0, path.cost()) {
		return
	}
	keys, err := c.types.params(e.Keys, FromKeys)
	var data []Param
	if err == nil {
		data, err = c.types.params(slices.Concat(e.Data, e.Inputs), FromData)
	}
	for i := range data {
		data[i].lengthFrom += len(keys)
	}
	c.add(path, e.Name, append(keys, data...), err)
}

func (c *eventCompiler) addEnum(e *entry, path eventPath) {
	if c.open[e.Name] {
		return
	}
	c.open[e.Name] = true
	defer delete(c.open, e.Name)
	for _, v := range e.Variants {
		inner := path
		if v.Kind != "flat" {
			inner = path.with(v.Name)
		}
		if !c.proceed(len(path.names), inner.cost()) {
			return
		}
		switch event := c.events[v.Type]; {
		case event != nil && event.Kind == "enum":
			c.addEnum(event, inner)
		case len(inner.names) == 0:
			// A flat struct at the top has no selector by which it could be found.
		case event != nil && event.Kind == "struct":
			params, err := c.structParams(event, "")
			c.add(inner, event.Name, params, err)
		case v.Type == "()":
			c.add(inner, v.Type, nil, nil)
		default:
			c.add(inner, v.Type, nil, fmt.Errorf("%w: event %.80q", ErrUnsupportedType, v.Type))
		}
	}
}

// structParams lists the fields of an event struct; those of a struct nested in it are
// labelled with the path to them.
func (c *eventCompiler) structParams(e *entry, prefix string) ([]Param, error) {
	if c.open[e.Name] {
		return nil, fmt.Errorf("%w: %w: event %.80q", ErrUnsupportedType, ErrRecursiveType, e.Name)
	}
	c.open[e.Name] = true
	defer delete(c.open, e.Name)
	var list []Param
	for _, m := range e.Members {
		size := len(prefix) + len(m.Name)
		if size > maxText {
			return nil, fmt.Errorf("%w: overlong label in event %.80q", ErrUnsupportedType, e.Name)
		}
		if !c.proceed(len(c.open), fieldCost+size+len(m.typeName())) {
			break
		}
		params, err := c.memberParams(m, prefix+m.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, params...)
	}
	return list, nil
}

func (c *eventCompiler) memberParams(m member, label string) ([]Param, error) {
	source := FromData
	switch m.Kind {
	case "key":
		source = FromKeys
	case "data":
	default:
		inner := c.events[m.Type]
		if inner == nil || inner.Kind != "struct" {
			return nil, fmt.Errorf("%w: %.80q inside an event", ErrUnsupportedType, m.Type)
		}
		return c.structParams(inner, label+".")
	}
	t, err := c.types.resolve(m.typeName())
	return []Param{{Name: label, Type: t, Source: source}}, err
}

func (c *eventCompiler) add(path eventPath, typeName string, params []Param, err error) {
	c.layouts = append(c.layouts, &EventLayout{
		Name: path.names[len(path.names)-1], Path: path.names, Selectors: path.selectors,
		TypeName: typeName, Params: params, unsupported: err,
	})
}
