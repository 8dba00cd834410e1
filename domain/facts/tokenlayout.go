package facts

import "astrolabe/starknet"

// role is the role of a field in a transfer event.
type role uint8

const (
	noRole role = iota
	operator
	sender
	recipient
	amount
	tokenID
	amounts
	tokenIDs
)

// place is a role in the order of a payload. An address is validated if the ABI
// types it as one; Cairo 0 accepted any felt.
type place struct {
	role    role
	address bool
}

// tokenLayout is an event that moves tokens: after the keys that announce it
// come the roles of the other keys, and those of the data.
type tokenLayout struct {
	standard   Standard
	selectors  []starknet.Felt
	keys, data []place
}

// standardLayouts are the layouts that the first key identifies, because no two
// of them have the same number of keys and data.
var standardLayouts = []tokenLayout{
	{ERC20, []starknet.Felt{transfer}, places(sender, recipient), places(amount)},
	{ERC721, []starknet.Felt{transfer}, places(sender, recipient, tokenID), nil},
	{ERC1155, []starknet.Felt{transferSingle}, places(operator, sender, recipient), places(tokenID, amount)},
	{ERC1155, []starknet.Felt{transferBatch}, places(operator, sender, recipient), places(tokenIDs, amounts)},
}

func places(roles ...role) []place {
	list := make([]place, len(roles))
	for i, r := range roles {
		list[i].role = r
	}
	return list
}

// read reads an event of this layout. It answers false when the payload does
// not fit, and always for the nil layout.
func (l *tokenLayout) read(e *starknet.Event) (m movement, ok bool) {
	if l == nil || len(e.Keys) < len(l.selectors) {
		return movement{}, false
	}
	for i := range l.selectors {
		if e.Keys[i] != l.selectors[i] {
			return movement{}, false
		}
	}
	m.standard = l.standard
	ok = m.fill(l.keys, e.Keys[len(l.selectors):]) && m.fill(l.data, e.Data) &&
		(m.ids == nil || m.amounts == nil || len(m.ids) == len(m.amounts))
	return m, ok
}

// fill reads felts by their roles and reports whether they are exactly those.
func (m *movement) fill(places []place, felts []starknet.Felt) bool {
	for _, p := range places {
		var taken []starknet.Felt
		if taken, felts = p.take(felts); taken == nil {
			return false
		}
		switch p.role {
		case sender:
			m.from = &taken[0]
		case recipient:
			m.to = &taken[0]
		case amount, amounts:
			m.amounts = taken
		case tokenID, tokenIDs:
			m.ids = taken
		}
	}
	return len(felts) == 0
}

// take cuts the felts of a place off the front. It returns nil when they are
// missing or out of range.
func (p place) take(felts []starknet.Felt) (taken, rest []starknet.Felt) {
	n := 1
	switch p.role {
	case amount, tokenID:
		n = 2
	case amounts, tokenIDs:
		if len(felts) == 0 {
			return nil, nil
		}
		count, ok := felts[0].Count((len(felts) - 1) / 2)
		if !ok {
			return nil, nil
		}
		n, felts = 2*count, felts[1:]
	}
	if len(felts) < n {
		return nil, nil
	}
	taken = felts[:n:n]
	limit := 128 // bits of half a number
	switch p.role {
	case operator, sender, recipient:
		limit = 252 // any felt
	}
	if p.address {
		limit = 251
	}
	for i := range taken {
		if taken[i].BitLen() > limit {
			return nil, nil
		}
	}
	return taken, felts[n:]
}
