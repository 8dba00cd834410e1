package oracle

import (
	"slices"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// slot is a storage slot in which Cairo 0 proxies keep what they execute.
type slot struct {
	key             starknet.Felt
	class, contract bool            // what it may hold
	of              []starknet.Felt // classes that are known to use it, and no other
}

var slots = []slot{
	{starknet.Selector("impl_address"), false, true, []starknet.Felt{starknet.MustFelt("0xd0e183745e9dae3e4e78a8ffedcce0903fc4900beace4e0abf192d4c202da3")}},
	{starknet.Selector("class_hash"), true, false, nil},
	{starknet.Selector("Proxy_implementation_hash"), true, false, []starknet.Felt{starknet.MustFelt("0x1efa8f84fd4dff9e2902ec88717cf0dafc8c188f80c3450615944a469428f7f")}},
	{starknet.Selector("Proxy_implementation_address"), false, true, nil},
	{starknet.Selector("_implementation"), true, true, nil},
}

// stored is a value that a block wrote to a slot of a contract.
type stored struct {
	block *Block
	slot  int
	value starknet.Felt
}

// code is what a contract executes: its class, and for a proxy what that passes
// calls on to.
type code []starknet.Felt

// codes returns everything that a contract may have executed during a block, the
// newest first.
func (m *Model) codes(contract starknet.Felt, b *Block) (list []code) {
	for _, class := range newestFirst(m.around(contract, b)) {
		executed := m.executed(contract, class, b)
		if len(executed) == 0 {
			list = append(list, code{class})
		}
		for _, implementation := range executed {
			list = append(list, code{class, implementation})
		}
	}
	return list
}

// executed returns the classes that a contract of a class may have executed as a
// proxy during a block, the newest first.
func (m *Model) executed(contract, class starknet.Felt, b *Block) (list []starknet.Felt) {
	known := m.Classes[class]
	if known == nil || known.Function(starknet.Selector("__default__")) == nil {
		return nil
	}
	own := slices.IndexFunc(slots, func(s slot) bool { return slices.Contains(s.of, class) })
	for _, last := range []func(*Block) bool{
		func(at *Block) bool { return at.BlockNumber <= b.BlockNumber },
		func(at *Block) bool { return at.BlockNumber < b.BlockNumber },
	} {
		values := map[int]starknet.Felt{}
		for _, s := range m.stored[contract] {
			if last(s.block) && (own < 0 || s.slot == own) {
				values[s.slot] = s.value
			}
		}
		var found [][]starknet.Felt
		for at, value := range values {
			if classes := m.behind(at, value, b); classes != nil {
				found = append(found, classes)
			}
		}
		if len(found) != 1 { // of several it is unknown which counts
			continue
		}
		for _, class := range newestFirst(found[0]) {
			if !slices.Contains(list, class) {
				list = append(list, class)
			}
		}
	}
	return list
}

// delegates reports whether a class passes calls on as a proxy.
func (m *Model) delegates(class starknet.Felt) bool { return has(m.Classes[class], "__default__") }

// delegatesAt reports whether a contract passes calls on as a proxy after a block.
func (m *Model) delegatesAt(contract starknet.Felt, b *Block) bool {
	classes := m.around(contract, b)
	return len(classes) > 0 && m.delegates(classes[len(classes)-1])
}

// behind returns the classes that a slot's value stands for during a block.
func (m *Model) behind(at int, value starknet.Felt, b *Block) []starknet.Felt {
	if _, class := m.Classes[value]; class && slots[at].class {
		return []starknet.Felt{value}
	}
	if slots[at].contract {
		return m.around(value, b)
	}
	return nil
}

// standardBy returns the standard of a code, by its functions.
func (m *Model) standardBy(c code) string {
	for _, class := range c {
		if s := standard(m.Classes[class]); s != "" {
			return s
		}
	}
	return ""
}

// oldStandard is the standard of the first class of a code that is written in
// Cairo 0 and has one: only such classes emit events that they do not declare.
func (m *Model) oldStandard(c code) string {
	for _, class := range c {
		if s := standard(m.Classes[class]); s != "" && m.cairo0[class] {
			return s
		}
	}
	return ""
}

// declaring returns the ABI of a code that mentions transfers with a key, or nil.
func (m *Model) declaring(c code, key starknet.Felt) *abi.Schema {
	for _, class := range c {
		if schema := m.Classes[class]; mentions(schema, key) {
			return schema
		}
	}
	return nil
}
