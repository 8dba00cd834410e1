package oracle

import (
	"math"
	"slices"

	"astrolabe/starknet"
)

// kinds are the ways in which a transaction can involve an address, in list
// order.
var kinds = []string{"tx_sent", "tx_received", "transfer_in", "transfer_out", "transfer_self", "deployed", "upgraded"}

// item is one entry of the activity of an address.
type item struct {
	*tx
	kind  string
	other *starknet.Felt // the counterparty
	moved *transfer
}

// items lists the entries of a transaction for an address, in order: its role,
// its effects on contracts, its transfers. The zero address, from which tokens
// are minted, has none.
func (m *Model) items(t *tx, owner starknet.Felt) (list []item) {
	if owner.IsZero() {
		return nil
	}
	add := func(kind string, other *starknet.Felt, moved *transfer) {
		if other != nil && *other == owner {
			other = nil
		}
		list = append(list, item{t, kind, other, moved})
	}
	if t.from != nil && *t.from == owner {
		switch {
		case t.to != nil:
			add("tx_sent", t.to, nil)
		case len(t.calls) > 0:
			add("tx_sent", &t.calls[0].to, nil)
		default:
			add("tx_sent", nil, nil)
		}
	}
	if t.calledBy(owner) {
		add("tx_received", t.from, nil)
	}
	if d := m.deployment(owner); d != nil && d.tx == t {
		add("deployed", d.deployer, nil)
	}
	if m.upgradedIn(t, owner) {
		add("upgraded", nil, nil)
	}
	for i := range t.transfers {
		switch moved := &t.transfers[i]; {
		case moved.movement.from == owner && moved.movement.to == owner:
			add("transfer_self", nil, moved)
		case moved.movement.from == owner:
			add("transfer_out", &moved.movement.to, moved)
		case moved.movement.to == owner:
			add("transfer_in", &moved.movement.from, moved)
		}
	}
	return list
}

// calledBy reports whether a transaction calls a contract: directly, or through
// a call of another account.
func (t *tx) calledBy(contract starknet.Felt) bool {
	in := &t.Transaction
	if in.Type == starknet.L1Handler || in.Type == starknet.Invoke && in.Version.Number == 0 {
		return *t.to == contract
	}
	return slices.ContainsFunc(t.calls, func(c call) bool { return c.to == contract && contract != *t.from })
}

// upgradedIn reports whether the class of a contract was replaced in a block
// and t is the last of its transactions in which the contract emitted an
// upgrade event, or else the only successful one that involves the contract.
func (m *Model) upgradedIn(t *tx, contract starknet.Felt) bool {
	if !slices.ContainsFunc(m.changes[contract], func(c change) bool { return c.block == t.block && !c.deployed }) {
		return false
	}
	var last *tx
	var near []*tx
	for _, other := range m.txsOf(t.block) {
		isNear := other.Receipt.ExecutionStatus == starknet.Succeeded && (other.from != nil && *other.from == contract || other.calledBy(contract))
		for _, e := range other.Receipt.Events {
			if e.FromAddress != contract {
				continue
			}
			isNear = true
			if len(e.Keys) > 0 && (e.Keys[0] == starknet.Selector("Upgraded") || e.Keys[0] == starknet.Selector("ImplementationReplaced")) {
				last = other
			}
		}
		if isNear {
			near = append(near, other)
		}
	}
	if last == nil && len(near) == 1 {
		last = near[0]
	}
	return last == t
}

// activity lists the items of an address, newest first.
func (m *Model) activity(owner starknet.Felt) (list []item) {
	for _, t := range m.txs {
		list = append(list, m.items(t, owner)...)
	}
	return newestFirst(list)
}

func (m *Model) activityBody(i item) object {
	body := object{
		"blockNumber": i.block.BlockNumber, "timestampIso": iso(i.block.Timestamp), "txIndex": i.index, "logIndex": nil, "transferIndex": nil,
		"txHash": i.Receipt.TransactionHash.String(), "txCursor": i.cursor(), "kind": i.kind, "counterparty": feltOrNull(i.other),
		"tokenAddress": nil, "amount": nil, "tokenId": nil,
	}
	if i.moved != nil {
		body["logIndex"], body["transferIndex"], body["tokenAddress"] = i.moved.log, i.moved.place, i.moved.token.String()
		body["amount"], body["tokenId"] = decimalOrNull(i.moved.amount), decimalOrNull(i.moved.id)
	}
	return body
}

// involvement is a transaction with its entries for an address.
type involvement struct {
	*tx
	items []item
}

// involving lists the transactions that involve an address, newest first.
func (m *Model) involving(owner starknet.Felt) (list []involvement) {
	for _, t := range newestFirst(m.txs) {
		if items := m.items(t, owner); len(items) > 0 {
			list = append(list, involvement{t, items})
		}
	}
	return list
}

func (m *Model) involvementBody(p involvement) object {
	is := []string{}
	for _, kind := range kinds {
		if slices.ContainsFunc(p.items, func(i item) bool { return i.kind == kind }) {
			is = append(is, kind)
		}
	}
	body := m.txItem(p.tx)
	delete(body, "txCursor")
	body["blockNumber"], body["timestampIso"], body["kinds"], body["transferCount"] = p.block.BlockNumber, iso(p.block.Timestamp), is, len(p.transfers)
	body["primaryMethod"], body["callCount"] = m.firstMethod(p.tx)
	return body
}

func (m *Model) address(r Request, owner starknet.Felt, route string) Answer {
	switch route {
	case "assets":
		return m.discovery(r, owner)
	case "activity":
		return pageOf(m, r, 25, 100, m.activity(owner), m.activityBody, m.coveredFor(owner))
	case "transactions":
		return pageOf(m, r, 25, 100, m.involving(owner), m.involvementBody, m.coveredFor(owner))
	}
	from, to, ok := bounds(r.Query)
	if !ok {
		return invalid
	}
	tokens, direction := felts(r.Query["token"]), r.Query.Get("direction")
	rows := m.transfers(func(t transfer) bool {
		sent, received := t.movement.from == owner, t.movement.to == owner
		return (from == nil || t.block.BlockNumber >= *from) && (to == nil || t.block.BlockNumber <= *to) &&
			(len(tokens) == 0 || slices.Contains(tokens, t.token)) &&
			(sent && direction != "in" || received && direction != "out")
	})
	return pageOf(m, r, 25, 100, rows, m.transferBody, unsure(m.coveredBetween(from, to), m.doubted(owner, tokens, from, to)))
}

// seen reports whether any block involves an address.
func (m *Model) seen(address starknet.Felt) bool {
	for _, t := range m.txs {
		if len(m.items(t, address)) > 0 ||
			slices.ContainsFunc(t.Receipt.Events, func(e starknet.Event) bool { return e.FromAddress == address }) ||
			slices.ContainsFunc(t.transfers, func(v transfer) bool { return v.movement.from == address || v.movement.to == address }) ||
			slices.ContainsFunc(t.messages, func(g message) bool { return g.l2 == address }) {
			return true
		}
	}
	return m.current(address) != nil || m.standardOf(address) != ""
}

// countedMost is the number of transactions of an address that are counted
// exactly. Of more, the newest are counted, plus one, as a lower bound.
const countedMost = 100

func (m *Model) summary(address starknet.Felt) object {
	body := object{
		"address": address.String(), "found": m.seen(address), "totalActivityCount": nil, "activityCountExact": false, "latestActivityBlock": nil,
		"classHash": nil, "isAccount": nil, "createdOnIso": nil, "deployedAtTxHash": nil, "deployedByAddress": nil,
		"coverage": m.coveredFor(address)["coverage"],
	}
	if body["found"] == false {
		return body
	}
	parts, items := m.involving(address), 0
	exact := m.first() == 0 && len(parts) <= countedMost && !address.IsZero() && !m.doubted(address, nil, nil, nil)
	for _, p := range parts[:min(countedMost+1, len(parts))] {
		items += len(p.items)
	}
	body["activityCountExact"] = exact
	if exact || items > 0 {
		body["totalActivityCount"] = items
	}
	if len(parts) > 0 {
		body["latestActivityBlock"] = parts[0].block.BlockNumber
	}
	if c := m.current(address); c != nil {
		body["classHash"], body["isAccount"] = c.class.String(), m.isAccountAt(address)
	}
	if d := m.deployment(address); d != nil {
		body["createdOnIso"], body["deployedByAddress"] = iso(d.block.Timestamp), deployedBy(d, address)
		if d.tx != nil {
			body["deployedAtTxHash"] = d.tx.Receipt.TransactionHash.String()
		}
	}
	return body
}

func (m *Model) intelligence(address starknet.Felt) object {
	body := object{
		"address": address.String(), "found": m.seen(address), "isDeployed": false, "typeLabel": "unknown", "classHash": nil,
		"label": nil, "labelSource": nil, "protocol": nil, "classLabel": nil,
	}
	if l := m.labelOf(address); l != nil {
		body["found"], body["label"], body["labelSource"], body["protocol"] = true, l.text, l.source, protocolBody(l.protocol)
	}
	if l := m.classLabel(address); l != nil {
		body["classLabel"] = l.text
	}
	doubted := m.doubted(address, nil, nil, nil)
	body["coverage"] = unsure(m.covered(nil), doubted)["coverage"]
	received := len(m.transfers(func(t transfer) bool { return t.movement.to == address })) > 0
	if body["hasReceivedFunds"] = received; doubted && !received {
		body["hasReceivedFunds"] = nil
	}
	for _, t := range m.txs {
		if t.from != nil && *t.from == address || slices.ContainsFunc(t.Receipt.Events, func(e starknet.Event) bool { return e.FromAddress == address }) {
			body["isDeployed"] = true
		}
	}
	c := m.current(address)
	if c != nil {
		body["isDeployed"], body["classHash"], body["typeLabel"] = true, c.class.String(), "contract"
	}
	if m.standardOf(address) != "" {
		body["typeLabel"] = "token"
	}
	if m.isAccountAt(address) == true {
		body["typeLabel"] = "account"
	}
	if body["typeLabel"] == "contract" || body["typeLabel"] == "unknown" { // it may be a token
		body["coverage"] = unsure(m.covered(nil), doubted || m.doubtful(address, math.MaxUint64))["coverage"]
	}
	return body
}
