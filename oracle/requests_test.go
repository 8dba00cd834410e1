package oracle

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"astrolabe/starknet"
)

// request makes one up.
func (a *asker) request() Request {
	routes := []func() Request{
		a.blockRequest, a.txRequest, a.txRequest, a.eventsRequest, a.eventsRequest, a.eventsRequest, a.wideRequest, a.messagesRequest,
		a.contractRequest, a.tokenRequest, a.tokenRequest, a.marketRequest, a.marketRequest, a.addressRequest, a.addressRequest, a.addressRequest, a.assetsRequest,
		a.batchRequest, a.searchRequest,
	}
	if a.m.Counted { // needs a flow ledger
		routes = append(routes, a.privacyRequest)
	}
	if a.m.Read != nil { // needs a node
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
			"timestamp": {pick(a, []string{strconv.FormatUint(around, 10), iso(around)})}, "closest": {pick(a, []string{"before", "after"})},
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
		for position := 1; position < min(len(e.Keys), 17); position++ {
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

// wideRequest searches more blocks than an ordinary key may, mostly for a
// wallet workspace and by keys that events have.
func (a *asker) wideRequest() Request {
	r := a.eventsRequest()
	r.Wallet = !a.oneIn(8)
	if a.oneIn(8) || len(a.emissions) == 0 {
		return r
	}
	if len(a.m.Certificates) > 0 && !a.oneIn(4) {
		c := pick(a, a.m.Certificates)
		r = Request{Path: "events", Query: a.list(100), Wallet: r.Wallet}
		r.Query.Set("topic0", c.Selector.String())
		if a.oneIn(4) {
			r.Query.Add("topic0", pick(a, a.m.Certificates).Selector.String())
		}
		position := c.Position
		if a.oneIn(6) {
			position = 1 + a.IntN(3)
		}
		topic := "topic" + strconv.Itoa(position)
		a.some(r.Query, topic, 4, func() starknet.Felt { return a.keyAt(position) })
		if a.oneIn(4) {
			a.some(r.Query, "address", 3, a.address)
		}
	}
	from := a.number()
	r.Query.Set("from_block", strconv.FormatUint(from, 10))
	r.Query.Set("to_block", strconv.FormatUint(from+9_998+a.Uint64N(4), 10))
	return r
}

// searchRequest asks for what is there by one of its names, or by the beginning
// of one.
func (a *asker) searchRequest() Request {
	var text string
	switch a.IntN(9) {
	case 0:
		text = strconv.FormatUint(a.number(), 10)
	case 1:
		text = a.txHash().String()
	case 2:
		text = pick(a, a.m.Blocks).BlockHash.String()
	case 3:
		classes := slices.SortedFunc(maps.Keys(a.m.Classes), starknet.Felt.Cmp)
		if text = a.stranger().String(); len(classes) > 0 {
			text = pick(a, classes).String()
		}
	case 4:
		text = a.labelled().String()
	case 5:
		text = a.address().String()
		if all := a.m.messages(func(message) bool { return true }); len(all) > 0 {
			text = pick(a, all).hash
		}
	default:
		text = a.searchText()
	}
	if digits, isHash := strings.CutPrefix(text, "0x"); isHash && a.oneIn(4) {
		text = "0x" + strings.Repeat("0", max(0, 64-len(digits))) + strings.ToUpper(digits)
	}
	return Request{Path: "search", Query: url.Values{"q": {text}}}
}

// word is the beginning of what something is called, in any case.
func (a *asker) searchText() string {
	words := []string{"latest", "pending", " ", "Ours", "treasury", "no such thing", "%", "1", "STRK "}
	for _, token := range slices.SortedFunc(maps.Keys(a.m.called), starknet.Felt.Cmp) {
		for _, text := range []*string{a.m.called[token].Symbol, a.m.called[token].Name} {
			if text != nil {
				words = append(words, *text)
			}
		}
	}
	for _, known := range a.m.Registry.Addresses {
		words = append(words, known.Label)
	}
	word := []rune(pick(a, words))
	text := string(word[:1+a.IntN(len(word))])
	switch a.IntN(3) {
	case 0:
		return strings.ToLower(text)
	case 1:
		return strings.ToUpper(text)
	}
	return text
}
