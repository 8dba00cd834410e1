package oracle

import (
	"maps"
	"slices"
	"strings"

	"astrolabe/starknet"
)

func (a *asker) tokenRequest() Request {
	if len(a.tokens) == 0 {
		return a.addressRequest()
	}
	token := a.token().String()
	tag, sort := a.tag(), a.IntN(6)
	switch {
	case sort == 0:
		return Request{Path: "token/" + token}
	case sort == 1 && a.m.Read != nil: // needs a node
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
	contract := a.token()
	if a.oneIn(3) {
		contract = pick(a, slices.SortedFunc(maps.Keys(a.m.changes), starknet.Felt.Cmp))
	}
	view := pick(a, []string{"name", "symbol", "decimals", "total_supply", "totalSupply", "owner", "balance_of", "balanceOf", "allowance", "get_reserves", "nowhere"})
	q := a.tag()
	q.Set("selector", starknet.Selector(view).String())
	if strings.HasPrefix(view, "balance") || a.oneIn(6) {
		a.some(q, "calldata", 1+a.IntN(2), a.address)
	}
	return Request{Path: "contract/" + contract.String() + "/read", Query: q}
}
