package oracle

import (
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"

	"astrolabe/starknet"
)

func clone(q url.Values) url.Values {
	if q == nil {
		return url.Values{}
	}
	return maps.Clone(q)
}

// asker makes up requests about what is in a chain, and a little about what is
// not.
type asker struct {
	*rand.Rand
	m         *Model
	addresses []starknet.Felt // everybody who has part in anything
	tokens    []starknet.Felt
	emissions []emission
	upgraded  []emission // of contracts whose class was replaced
}

func newAsker(seed uint64, m *Model) *asker {
	a := &asker{Rand: rand.New(rand.NewPCG(seed, 7)), m: m}
	seen, tokens := map[starknet.Felt]bool{}, map[starknet.Felt]bool{}
	for address := range m.changes {
		seen[address] = true
	}
	for _, t := range m.txs {
		for _, f := range []*starknet.Felt{t.from, t.to} {
			if f != nil {
				seen[*f] = true
			}
		}
		for _, v := range t.transfers {
			seen[v.movement.from], seen[v.movement.to], tokens[v.token] = true, true, true
		}
		for log := range t.Receipt.Events {
			a.emissions = append(a.emissions, emission{t, log})
			if len(m.changes[t.Receipt.Events[log].FromAddress]) > 1 {
				a.upgraded = append(a.upgraded, emission{t, log})
			}
		}
	}
	a.addresses = slices.SortedFunc(maps.Keys(seen), starknet.Felt.Cmp)
	a.tokens = slices.SortedFunc(maps.Keys(tokens), starknet.Felt.Cmp)
	return a
}

func pick[T any](a *asker, list []T) T { return list[a.IntN(len(list))] }

// oneIn is true once in n times.
func (a *asker) oneIn(n int) bool { return a.IntN(n) == 0 }

func (a *asker) stranger() starknet.Felt { return starknet.FeltFromUint64(a.Uint64()) }

// address is mostly one that has part in something; busy ones come often.
func (a *asker) address() starknet.Felt {
	switch {
	case a.oneIn(30):
		return a.stranger()
	case a.oneIn(3):
		t := pick(a, a.m.txs)
		if len(t.transfers) > 0 {
			v := pick(a, t.transfers)
			return pick(a, []starknet.Felt{v.movement.from, v.movement.to})
		}
	}
	return pick(a, a.addresses)
}

func (a *asker) token() starknet.Felt {
	if a.oneIn(15) || len(a.tokens) == 0 {
		return a.address()
	}
	return pick(a, a.tokens)
}

// emission is an event, often one of those whose meaning is hard to tell.
func (a *asker) emission() emission {
	if a.oneIn(5) && len(a.upgraded) > 0 {
		return pick(a, a.upgraded)
	}
	return pick(a, a.emissions)
}

func (a *asker) txHash() starknet.Felt {
	switch {
	case a.oneIn(30):
		return a.stranger()
	case a.oneIn(5) && len(a.emissions) > 0:
		return a.emission().Receipt.TransactionHash
	}
	return pick(a, a.m.txs).Receipt.TransactionHash
}

func (a *asker) number() uint64 { return a.m.first() + a.Uint64N(uint64(len(a.m.Blocks))+2) }

// tag names a block whose state can be read.
func (a *asker) tag() url.Values {
	if a.oneIn(10) {
		return url.Values{"block_tag": {"pending"}}
	}
	return url.Values{"block_tag": {a.block()}}
}

// block names a block in one of its ways.
func (a *asker) block() string {
	switch a.IntN(5) {
	case 0:
		return "latest"
	case 1:
		return pick(a, a.m.Blocks).BlockHash.String()
	case 2:
		return a.stranger().String()
	}
	return strconv.FormatUint(a.number(), 10)
}

func (a *asker) list(most int) url.Values {
	switch a.IntN(20) {
	case 0:
		return url.Values{"limit": {strconv.Itoa(pick(a, []int{0, most + 1}))}}
	case 1:
		return url.Values{}
	case 2:
		return url.Values{"limit": {strconv.Itoa(most)}}
	}
	return url.Values{"limit": {strconv.Itoa(1 + a.IntN(12))}}
}

// bound adds bounds to a query, now and then upside down.
func (a *asker) bound(q url.Values) {
	from, to := a.number(), a.number()
	if from > to && !a.oneIn(10) {
		from, to = to, from
	}
	q.Set("from_block", strconv.FormatUint(from, 10))
	q.Set("to_block", strconv.FormatUint(to, 10))
	switch a.IntN(6) {
	case 0:
		q.Del("from_block")
	case 1:
		q.Del("to_block")
	}
}

// some adds up to n values to a parameter.
func (a *asker) some(q url.Values, name string, n int, value func() starknet.Felt) {
	for range 1 + a.IntN(n) {
		q.Add(name, value().String())
	}
}
