package oracle

import (
	"math/big"
	"slices"

	"astrolabe/starknet"
)

// standardOf is what an address is as a token, as the first block says that
// gives it a token's class or moves it; where both speak, the class does. It is
// empty when no block does.
func (m *Model) standardOf(token starknet.Felt) string {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for _, c := range m.changes[token] {
			if s := standard(m.Classes[c.class]); c.block == b && s != "" {
				return s
			}
		}
		for _, t := range newestFirst(m.txsOf(b)) {
			for _, moved := range newestFirst(t.transfers) {
				if moved.token == token {
					return moved.standard
				}
			}
		}
	}
	return ""
}

func (m *Model) token(r Request, token starknet.Felt, rest []string) Answer {
	switch {
	case len(rest) == 0:
		return m.tokenSummary(token)
	case rest[0] == "transfers":
		return m.tokenTransfers(r, token)
	case rest[0] == "holders":
		return m.holders(r, token)
	case rest[0] == "total-supply":
		return m.quantity(r, object{"tokenAddress": token.String()}, "totalSupplyRaw", token, []string{"total_supply", "totalSupply"})
	}
	owner := felt(rest[1]) // balance-of
	body := object{"tokenAddress": token.String(), "ownerAddress": owner.String()}
	return m.quantity(r, body, "balanceRaw", token, []string{"balance_of", "balanceOf"}, owner)
}

// tokenSummary counts all transfers. What the token calls itself and its
// supply are for jobs to find out, and no sums are kept: the counts are made
// for the answer.
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
	body := object{
		"chainId": m.Chain, "tokenAddress": token.String(), "symbol": nil, "name": nil, "decimals": nil, "standard": standard,
		"metadataUpdatedAtIso": nil, "summaryCacheStatus": "computed", "summaryCacheUpdatedAtIso": nil,
		"transferCount": len(rows), "distinctFromCount": len(from), "distinctToCount": len(to),
		"latestTransferBlock": nil, "totalSupplyRaw": nil, "totalSupplyBlockNumber": nil,
	}
	if len(rows) > 0 {
		body["latestTransferBlock"] = rows[0].block.BlockNumber
	}
	if m.first() > 0 && m.deployment(token) == nil { // it may have moved before
		body["summaryCacheStatus"] = "metadata_only"
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
	return pageOf(m, r, 25, 100, rows, m.transferBody, m.covered(nil))
}

// quantity asks a contract for a number after a block.
func (m *Model) quantity(r Request, body object, name string, contract starknet.Felt, functions []string, calldata ...starknet.Felt) Answer {
	tag := "latest"
	if r.Query.Has("block_tag") {
		tag = r.Query.Get("block_tag")
	}
	b := m.blockNamed(tag)
	if b == nil {
		return notFound
	}
	for _, function := range functions {
		result, err := m.Read(b.BlockNumber, contract, function, calldata...)
		if err != nil || len(result) == 0 || len(result) > 2 {
			continue
		}
		value := result[0].Big()
		if len(result) == 2 {
			value.Add(value, new(big.Int).Lsh(result[1].Big(), 128))
		}
		body["chainId"], body["blockTag"], body[name] = m.Chain, tag, value.String()
		body["blockNumber"], body["blockHash"] = b.BlockNumber, b.BlockHash.String()
		return found(body)
	}
	return notFound
}
