package oracle

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"astrolabe/starknet"
)

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

// marketRequest asks who controls, holds and trades a token.
func (a *asker) marketRequest() Request {
	if len(a.tokens) == 0 {
		return a.addressRequest()
	}
	path := "token/" + a.token().String() + "/"
	route := pick(a, []string{"controls", "markets/pools", "markets/pools", "holders", "holders", "holders/screening", "holders/analytics"})
	r := Request{Path: path + route}
	if route == "markets/pools" || route == "holders" {
		r.Query = a.list(100)
	}
	return r
}

// assetsRequest asks what an address may hold and what it is called.
func (a *asker) assetsRequest() Request {
	if a.oneIn(3) {
		address := a.labelled().String()
		if a.oneIn(4) {
			address = strings.Replace(address, "0x", "0x0", 1)
		}
		return Request{Path: "address/" + address + "/attribution"}
	}
	q := a.list(50)
	if a.oneIn(2) {
		q.Set("scope", pick(a, []string{"discovered", "discovered_plus_registry"}))
	}
	return Request{Path: "address/" + a.address().String() + "/assets/discovery", Query: q}
}

// labelled is an address that is called something, often.
func (a *asker) labelled() starknet.Felt {
	switch {
	case a.oneIn(3) && len(a.m.Notes) > 0:
		return pick(a, a.m.Notes).Felt
	case a.oneIn(2):
		return pick(a, a.m.Registry.Addresses).Address
	}
	return a.address()
}

// searchRequest asks for what is there by one of its names, or by the beginning
// of one.
func (a *asker) searchRequest() Request {
	text := ""
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
		text = a.word()
	}
	return Request{Path: "search", Query: url.Values{"q": {text}}}
}

// word is the beginning of what something is called, in any case.
func (a *asker) word() string {
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

// walletRequest asks for a snapshot of what an address holds, at some block.
func (a *asker) walletRequest() Request {
	body := map[string]any{"ownerAddress": a.address().String()}
	if a.oneIn(2) {
		body["mode"] = pick(a, []string{"require_complete", "verified_partial"})
	}
	if a.oneIn(2) {
		body["scope"] = pick(a, []string{"discovered", "discovered_plus_registry"})
	}
	if a.oneIn(3) {
		body["limit"] = pick(a, []int{0, 1, 3, 10, 15, 20, 25, 26})
	}
	if a.oneIn(3) {
		named := []string{}
		for range a.IntN(5) {
			named = append(named, a.token().String())
		}
		body["scope"], body["tokenAddresses"] = "explicit", named
	}
	switch a.IntN(5) {
	case 0:
		body["blockPreference"] = pick(a, []string{"latest_accepted_l2", "l1_accepted", "explicit"})
	case 1:
		body["blockPreference"], body["blockHash"] = "explicit", pick(a, a.m.Blocks).BlockHash.String()
	case 2, 3:
		body["blockPreference"], body["blockNumber"] = "explicit", a.number()
	}
	if a.oneIn(20) {
		body["blockNumber"] = a.number()
	}
	return Request{Path: "query/wallet-state", Body: body}
}

// readRequest calls a view of a contract, mostly one that its class has.
func (a *asker) readRequest() Request {
	contract := pick(a, slices.SortedFunc(maps.Keys(a.m.changes), starknet.Felt.Cmp))
	view := pick(a, []string{"name", "symbol", "decimals", "total_supply", "totalSupply", "owner", "balance_of", "balanceOf", "allowance", "get_reserves", "nowhere"})
	q := url.Values{"selector": {starknet.Selector(view).String()}, "block_tag": {a.block()}}
	if strings.HasPrefix(view, "balance") || a.oneIn(6) {
		a.some(q, "calldata", 1+a.IntN(2), a.address)
	}
	if a.oneIn(15) {
		contract = a.address()
	}
	return Request{Path: "contract/" + contract.String() + "/read", Query: q}
}
