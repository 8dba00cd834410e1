package oracle

import (
	"slices"
	"strings"

	"astrolabe/starknet"
)

// standardOf is the token standard of an address; empty if it is not a token.
func (m *Model) standardOf(token starknet.Felt) string { return m.standards[token] }

// nameTokens finds the tokens: the first block decides that gives an address a
// token class or has a transfer of it; within a block the class takes
// precedence.
func (m *Model) nameTokens() {
	m.standards = map[starknet.Felt]string{}
	for i := range m.Blocks {
		here := map[starknet.Felt]string{}
		for _, t := range m.txsOf(&m.Blocks[i]) {
			for _, moved := range t.transfers {
				here[moved.token] = moved.standard
			}
		}
		for contract := range m.changedIn(&m.Blocks[i]) {
			if codes := m.codes(contract, &m.Blocks[i]); len(codes) > 0 && m.standardBy(codes[0]) != "" {
				here[contract] = m.standardBy(codes[0])
			}
		}
		for token, s := range here {
			if m.standards[token] == "" {
				m.standards[token] = s
			}
		}
	}
}

// changedIn returns the contracts whose class or proxy slot a block changed.
func (m *Model) changedIn(b *Block) map[starknet.Felt]bool {
	contracts := map[starknet.Felt]bool{}
	for contract, changes := range m.changes {
		for _, c := range changes {
			contracts[contract] = contracts[contract] || c.block == b
		}
	}
	for contract, writes := range m.stored {
		for _, s := range writes {
			contracts[contract] = contracts[contract] || s.block == b
		}
	}
	for contract, changed := range contracts {
		if !changed {
			delete(contracts, contract)
		}
	}
	return contracts
}

func (m *Model) token(r Request, token starknet.Felt, rest []string) Answer {
	switch strings.Join(rest, "/") {
	case "":
		return m.tokenSummary(token)
	case "transfers":
		return m.tokenTransfers(r, token)
	case "controls":
		return m.controls(token)
	case "markets/pools":
		return m.pools(r, token)
	case "holders":
		return m.holders(r, token)
	case "holders/screening":
		return m.screening(token)
	case "holders/analytics":
		return m.analytics(token)
	case "total-supply":
		return m.quantity(r, "totalSupplyRaw", token, supplyViews)
	}
	return m.quantity(r, "balanceRaw", token, balanceViews, felt(rest[1])) // balance-of
}

// tokenSummary counts all transfers.
func (m *Model) tokenSummary(token starknet.Felt) Answer {
	standard := m.standardOf(token)
	if standard == "" {
		return notFound
	}
	rows := m.transfers(func(t transfer) bool { return t.token == token })
	from, to := map[starknet.Felt]bool{}, map[starknet.Felt]bool{}
	for _, t := range rows {
		from[t.movement.from], to[t.movement.to] = true, true
	}
	called := m.called[token]
	body := object{
		"chainId": m.Chain, "tokenAddress": token.String(), "symbol": called.Symbol, "name": called.Name, "decimals": called.Decimals, "standard": standard,
		"summaryCacheStatus": "computed", "transferCount": len(rows), "distinctFromCount": len(from), "distinctToCount": len(to),
		"latestTransferBlock": nil, "totalSupplyRaw": nil, "totalSupplyBlockNumber": nil,
	}
	if len(rows) > 0 {
		body["latestTransferBlock"] = rows[0].block.BlockNumber
	}
	if m.Counted {
		body["summaryCacheStatus"] = "current"
		if supply := m.numberAt(m.at(*m.Finalized), token, supplyViews); supply != nil && m.tokenSince(token) <= *m.Finalized {
			body["totalSupplyRaw"], body["totalSupplyBlockNumber"] = supply.String(), *m.Finalized
		}
	}
	if m.first() > 0 && m.deployment(token) == nil { // it may have earlier transfers
		body["summaryCacheStatus"] = "metadata_only"
		body["transferCount"], body["distinctFromCount"], body["distinctToCount"] = nil, nil, nil
	}
	if m.doubtful(token, m.head().BlockNumber) {
		body["summaryCacheStatus"], body["latestTransferBlock"] = "metadata_only", nil
		body["transferCount"], body["distinctFromCount"], body["distinctToCount"] = nil, nil, nil
	}
	return found(body)
}

func (m *Model) tokenTransfers(r Request, token starknet.Felt) Answer {
	parties := felts(r.Query["address"])
	rows := m.transfers(func(t transfer) bool {
		return t.token == token && (len(parties) == 0 || slices.Contains(parties, t.movement.from) || slices.Contains(parties, t.movement.to))
	})
	if _, ok := limitOf(r.Query, "limit", 25, 100); ok && len(rows) == 0 && m.standardOf(token) == "" {
		return notFound
	}
	return pageOf(m, r, 25, 100, rows, m.transferBody, unsure(m.covered(nil), m.doubtful(token, m.head().BlockNumber)))
}
