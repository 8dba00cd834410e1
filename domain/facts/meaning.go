package facts

import (
	"slices"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// meaning says whether an event moves tokens.
type meaning uint8

const (
	untyped meaning = iota // it may, but nothing says what
	moves                  // it does
	another                // the ABI declares it as something else
)

// read reads an event as every code that can have emitted it. They must agree.
func (r Runtime) read(e *starknet.Event) (movement, meaning) {
	var buffer [4]Code
	codes := r.Codes(buffer[:0])
	m, of := codes[0].read(e)
	for _, code := range codes[1:] {
		if other, ofOther := code.read(e); of != ofOther || of == moves && !m.equal(&other) {
			return movement{}, untyped
		}
	}
	return m, of
}

// legacyLayouts are the old layouts, with all fields in the data, which differ
// only in what they mean.
var legacyLayouts = map[Standard]*tokenLayout{
	ERC20:  {ERC20, []starknet.Felt{transfer}, nil, places(sender, recipient, amount)},
	ERC721: {ERC721, []starknet.Felt{transfer}, nil, places(sender, recipient, tokenID)},
}

// read reads an event of the code: as one of the class if its ABI declares the
// event, else of the implementation, else by the layouts of the standards.
func (c Code) read(e *starknet.Event) (movement, meaning) {
	if c.Class.declares(e.Keys[0]) {
		return c.Class.read(e)
	}
	if c.Implementation.declares(e.Keys[0]) {
		return c.Implementation.read(e)
	}
	for i := range standardLayouts {
		if m, ok := standardLayouts[i].read(e); ok {
			return m, moves
		}
	}
	if m, ok := legacyLayouts[c.cairo0Standard()].read(e); ok {
		return m, moves
	}
	return movement{}, untyped
}

// Standard returns the token standard of the code; empty if none.
func (c Code) Standard() Standard {
	if c.Class != nil && c.Class.Standard != "" {
		return c.Class.Standard
	}
	if c.Implementation != nil {
		return c.Implementation.Standard
	}
	return ""
}

// cairo0Standard returns the standard of the code if it is that of a Cairo 0
// class: only those emit events that their ABI does not declare.
func (c Code) cairo0Standard() Standard {
	for _, class := range [2]*Class{c.Class, c.Implementation} {
		if class != nil && !class.Sierra && class.Standard != "" {
			return class.Standard
		}
	}
	return ""
}

// declares reports whether the ABI of the class has events with a first key
// that can announce a transfer.
func (c *Class) declares(key starknet.Felt) bool { return c != nil && len(c.transfers[key]) > 0 }

// read reads an event that the class declares. It is untyped if several of the
// declared events are possible, or none.
func (c *Class) read(e *starknet.Event) (found movement, of meaning) {
	for _, l := range c.transfers[e.Keys[0]] {
		m, fits := l.token.read(e)
		switch {
		case fits && of == another, fits && of == moves && !m.equal(&found):
			return movement{}, untyped
		case fits:
			found, of = m, moves
		case !l.mayBe(e):
		case of == moves || l.mayMove():
			return movement{}, untyped
		default:
			of = another
		}
	}
	return found, of
}

// mayBe reports whether an event may be one that does not move tokens.
func (l *classLayout) mayBe(e *starknet.Event) bool {
	if l.token != nil || len(e.Keys) < len(l.layout.Selectors) || !slices.Equal(e.Keys[:len(l.layout.Selectors)], l.layout.Selectors) {
		return false
	}
	_, err := l.layout.Decode(e.Keys, e.Data)
	return err == nil || l.layout.Unsupported() != nil
}

// mayMove reports whether a declared event that is not a standard transfer may
// move tokens nevertheless: it has the name of a transfer and either names a
// sender and a recipient, or has two addresses and a number without such names.
func (l *classLayout) mayMove() bool {
	if !slices.Contains([]string{"Transfer", "TransferSingle", "TransferBatch"}, l.layout.Name) {
		return false
	}
	var parties, numbers int
	var roles [tokenIDs + 1]bool
	for i := range l.layout.Params {
		p := &l.layout.Params[i]
		roles[nameRole(p)] = true
		switch p.Type.Shape {
		case abi.ShapeContractAddress, abi.ShapeFelt:
			parties++
		case abi.ShapeU256:
			numbers++
		}
	}
	return roles[sender] && roles[recipient] || parties == 2 && numbers == 1 && len(l.layout.Params) == 3
}
