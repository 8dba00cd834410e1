package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

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

// request makes one up.
func (a *asker) request() Request {
	routes := []func() Request{
		a.blockRequest, a.txRequest, a.txRequest, a.eventsRequest, a.eventsRequest, a.eventsRequest, a.wideRequest, a.messagesRequest,
		a.contractRequest, a.tokenRequest, a.tokenRequest, a.marketRequest, a.addressRequest, a.addressRequest, a.addressRequest, a.assetsRequest,
		a.batchRequest, a.searchRequest,
	}
	if a.m.Read != nil { // otherwise there is nobody to ask
		routes = append(routes, a.walletRequest, a.readRequest)
	}
	return pick(a, routes)()
}

func (a *asker) blockRequest() Request {
	switch a.IntN(6) {
	case 0:
		return Request{Path: "blocks", Query: a.list(200)}
	case 4:
		return Request{Path: "status"}
	case 1, 2:
		return Request{Path: "block/" + a.block() + "/txs", Query: a.list(100)}
	case 3:
		around := a.m.Blocks[0].Timestamp - 10 + a.Uint64N(a.m.head().Timestamp-a.m.Blocks[0].Timestamp+20)
		if a.oneIn(2) {
			around = pick(a, a.m.Blocks).Timestamp
		}
		return Request{Path: "block-at-timestamp", Query: url.Values{
			"timestamp": {strconv.FormatUint(around, 10)}, "closest": {pick(a, []string{"before", "after"})},
		}}
	}
	q := url.Values{}
	if a.oneIn(2) {
		q.Set("tx_limit", strconv.Itoa(a.IntN(10)))
	}
	return Request{Path: "block/" + a.block(), Query: q}
}

func (a *asker) txRequest() Request {
	q := url.Values{}
	if a.oneIn(4) {
		q.Set("log_limit", strconv.Itoa(a.IntN(8)))
	}
	return Request{Path: "tx/" + a.txHash().String(), Query: q}
}

// eventsRequest starts from an event that exists, so that most searches find
// something, and adds other values and conditions.
func (a *asker) eventsRequest() Request {
	if len(a.emissions) == 0 {
		return Request{Path: "contract/" + a.address().String() + "/events", Query: a.list(100)}
	}
	at := a.emission()
	e := &at.Receipt.Events[at.log]
	q, path := a.list(100), "events"
	if a.oneIn(2) {
		path = "contract/" + e.FromAddress.String() + "/events"
	} else if a.oneIn(2) {
		q.Add("address", e.FromAddress.String())
		if a.oneIn(2) {
			a.some(q, "address", 3, a.address)
		}
	}
	if path != "events" && a.oneIn(5) && len(e.Keys) > 0 {
		name := pick(a, []string{"key", "keys"})
		for _, key := range e.Keys[:1+a.IntN(min(len(e.Keys), 3))] {
			q.Add(name, key.String())
		}
		a.boundAround(q, at)
		return Request{Path: path, Query: q}
	}
	if len(e.Keys) > 0 && !a.oneIn(5) {
		q.Add(pick(a, []string{"topic0", "topic0", "selector"}), e.Keys[0].String())
		if a.oneIn(3) {
			a.some(q, "topic0", 2, func() starknet.Felt { return a.keyAt(0) })
		}
	}
	if a.oneIn(2) {
		for position := 1; position < len(e.Keys); position++ {
			if a.oneIn(2) {
				q.Add(fmt.Sprintf("topic%d", position), e.Keys[position].String())
				a.some(q, fmt.Sprintf("topic%d", position), 3, func() starknet.Felt { return a.keyAt(position) })
			}
		}
		a.boundAround(q, at)
	} else if a.oneIn(2) {
		a.bound(q)
	}
	return Request{Path: path, Query: q}
}

// boundAround bounds a search so that it holds a place, mostly.
func (a *asker) boundAround(q url.Values, at emission) {
	if a.oneIn(6) {
		a.bound(q)
		return
	}
	from := at.block.BlockNumber - a.Uint64N(at.block.BlockNumber-a.m.first()+1)
	q.Set("from_block", strconv.FormatUint(from, 10))
	q.Set("to_block", strconv.FormatUint(at.block.BlockNumber+a.Uint64N(20), 10))
}

// keyAt is a key that some event has at a position.
func (a *asker) keyAt(position int) starknet.Felt {
	for range 20 {
		at := pick(a, a.emissions)
		if keys := at.Receipt.Events[at.log].Keys; position < len(keys) {
			return keys[position]
		}
	}
	return a.stranger()
}

func (a *asker) messagesRequest() Request {
	q, path := a.list(100), "messages"
	if a.oneIn(3) {
		q.Set("direction", pick(a, []string{"l1_to_l2", "l2_to_l1"}))
	}
	if all := a.m.messages(func(message) bool { return true }); len(all) > 0 {
		g := pick(a, all)
		if a.oneIn(2) {
			path = "contract/" + g.l2.String() + "/messages"
		}
		if a.oneIn(4) {
			q.Set("txHash", g.Receipt.TransactionHash.String())
		}
		if a.oneIn(4) {
			q.Set("messageHash", g.hash)
		}
	}
	return Request{Path: path, Query: q}
}

func (a *asker) contractRequest() Request {
	if a.oneIn(3) && a.m.Read != nil { // the real bridges are another registry
		bridges := slices.SortedFunc(maps.Keys(a.m.bridges()), starknet.Felt.Cmp)
		address := pick(a, bridges)
		if a.oneIn(8) {
			address = a.address()
		}
		return Request{Path: "contract/" + address.String() + "/bridge-signals", Query: a.list(100)}
	}
	path := "contract/" + a.address().String()
	if a.oneIn(3) {
		path += "/verification"
	}
	return Request{Path: path}
}

func (a *asker) tokenRequest() Request {
	if len(a.tokens) == 0 {
		return a.addressRequest()
	}
	token := a.token().String()
	tag, sort := url.Values{"block_tag": {a.block()}}, a.IntN(6)
	switch {
	case sort == 0:
		return Request{Path: "token/" + token}
	case sort == 1 && a.m.Read != nil: // otherwise there is nobody to ask
		return Request{Path: "token/" + token + "/total-supply", Query: tag}
	case sort == 2 && a.m.Read != nil:
		return Request{Path: "token/" + token + "/balance-of/" + a.address().String(), Query: tag}
	}
	q := a.list(100)
	if a.oneIn(2) {
		a.some(q, "address", 4, a.address)
	}
	return Request{Path: "token/" + token + "/transfers", Query: q}
}

func (a *asker) addressRequest() Request {
	route := pick(a, []string{"activity", "transactions", "transfers", "transfers"})
	q := a.list(100)
	if route == "transfers" {
		if a.oneIn(2) {
			q.Set("direction", pick(a, []string{"any", "in", "out"}))
		}
		if a.oneIn(3) {
			a.some(q, "token", 3, a.token)
		}
		if a.oneIn(3) {
			a.bound(q)
		}
	}
	return Request{Path: "address/" + a.address().String() + "/" + route, Query: q}
}

func (a *asker) batchRequest() Request {
	path := pick(a, []string{"tx/previews", "address/summaries", "address/intelligence"})
	name, one := "addresses", a.address
	if strings.HasPrefix(path, "tx") {
		name, one = "hashes", a.txHash
	}
	n := 1 + a.IntN(6)
	if a.oneIn(20) {
		n = pick(a, []int{0, 128, 129})
	}
	inputs := []string{}
	for range n {
		inputs = append(inputs, one().String())
	}
	return Request{Path: path, Body: map[string]any{name: inputs}}
}
