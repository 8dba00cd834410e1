package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"astrolabe/starknet"
)

// foundMost limits the results by symbol, by label, by name and by message
// hash, each.
const foundMost = 10

// search finds blocks by number, anything by hash, and addresses and tokens by
// the prefix of their names.
func (m *Model) search(text string) Answer {
	text = strings.TrimSpace(text)
	if text == "" {
		return invalid
	}
	items := []object{}
	add := func(kind, id string, label any, matched string) {
		hit := object{"kind": kind, "id": id, "label": label, "matched": matched}
		if !slices.ContainsFunc(items, func(known object) bool { return same(known, hit) }) {
			items = append(items, hit)
		}
	}
	if hash, err := starknet.ParseHash256(text); err == nil {
		m.byHash(hash.String(), add)
	} else {
		if n, ok := parseNumber(text); ok && strconv.FormatUint(n, 10) == text && m.at(n) != nil {
			add("block", text, nil, "number")
		}
		m.byText(text, add)
	}
	return found(object{"chainId": m.Chain, "items": items})
}

// hit adds one result.
type hit = func(kind, id string, label any, matched string)

func (m *Model) byHash(text string, add hit) {
	if f, err := starknet.ParseFelt(text); err == nil {
		if m.txByHash(f) != nil {
			add("transaction", f.String(), nil, "hash")
		}
		if b := m.blockNamed(text); b != nil {
			add("block", strconv.FormatUint(b.BlockNumber, 10), nil, "hash")
		}
		if _, known := m.Classes[f]; known {
			add("class", f.String(), nil, "hash")
		}
		if l := m.labelOf(f); l != nil {
			add(m.sort(f), f.String(), l.text, "address")
		} else if m.sort(f) != "address" || len(m.involving(f)) > 0 {
			add(m.sort(f), f.String(), m.called[f].title(), "address")
		}
	}
	named := m.messages(func(g message) bool { return g.hash == text })
	for _, g := range named[:min(foundMost, len(named))] {
		add("transaction", g.Receipt.TransactionHash.String(), nil, "message_hash")
	}
}

// sort returns the kind of an address; "address" if it is not a contract.
func (m *Model) sort(address starknet.Felt) string {
	c := m.current(address)
	switch {
	case m.standardOf(address) != "":
		return "token"
	case m.isAccountAt(address) == true:
		return "account"
	case c != nil:
		return "contract"
	}
	return "address"
}

// byText finds tokens by symbol, then addresses by label, then tokens by name,
// each address once.
func (m *Model) byText(text string, add hit) {
	symbols, names, labels := map[starknet.Felt]string{}, map[starknet.Felt]string{}, map[starknet.Felt]string{}
	for token, called := range m.called {
		if called.Symbol != nil {
			symbols[token] = *called.Symbol
		}
		if called.Name != nil {
			names[token] = *called.Name
		}
	}
	for _, known := range m.Registry.Addresses {
		labels[known.Address] = known.Label
	}
	for _, n := range m.Notes {
		if !n.OfClass {
			labels[n.Felt] = n.Label
		}
	}
	seen := map[starknet.Felt]bool{}
	for i, of := range []map[starknet.Felt]string{symbols, labels, names} {
		matched := []string{"symbol", "label", "name"}[i]
		for _, f := range m.beginning(of, text) {
			title := m.called[f].title()
			if matched == "label" {
				title = labels[f]
			}
			if !seen[f] {
				add(m.sort(f), f.String(), title, matched)
			}
			seen[f] = true
		}
	}
}

// beginning lists the addresses whose names start with a text, ignoring case,
// by name; for equal names the oldest token comes first.
func (m *Model) beginning(names map[starknet.Felt]string, text string) []starknet.Felt {
	list := slices.DeleteFunc(slices.Collect(maps.Keys(names)), func(f starknet.Felt) bool {
		return !strings.HasPrefix(strings.ToLower(names[f]), strings.ToLower(text))
	})
	slices.SortFunc(list, func(a, b starknet.Felt) int {
		return cmp.Or(strings.Compare(strings.ToLower(names[a]), strings.ToLower(names[b])), cmp.Compare(m.tokenSince(a), m.tokenSince(b)), a.Cmp(b))
	})
	return list[:min(foundMost, len(list))]
}

// tokenSince is the first block that shows a token, by its class or by a
// transfer.
func (m *Model) tokenSince(token starknet.Felt) uint64 {
	since := m.head().BlockNumber
	for _, c := range m.changes[token] {
		if standard(m.Classes[c.class]) != "" {
			since = min(since, c.block.BlockNumber)
		}
	}
	for _, t := range m.transfers(func(t transfer) bool { return t.token == token }) {
		since = min(since, t.block.BlockNumber)
	}
	return since
}

// SettleTies sorts tokens with equal symbol or name and equal block as the
// model does, because their order is not specified.
func (m *Model) SettleTies(items []any) {
	key := func(item any) string {
		hit := item.(object)
		if hit["matched"] != "symbol" && hit["matched"] != "name" {
			return fmt.Sprint(hit)
		}
		token := felt(hit["id"].(string))
		name := m.called[token].Symbol
		if hit["matched"] == "name" {
			name = m.called[token].Name
		}
		return fmt.Sprint(hit["matched"], strings.ToLower(*name), m.tokenSince(token))
	}
	for from, to := 0, 0; from < len(items); from = to {
		for to < len(items) && key(items[to]) == key(items[from]) {
			to++
		}
		slices.SortFunc(items[from:to], func(a, b any) int {
			return felt(a.(object)["id"].(string)).Cmp(felt(b.(object)["id"].(string)))
		})
	}
}
