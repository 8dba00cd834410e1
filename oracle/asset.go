package oracle

import (
	"slices"

	"astrolabe/starknet"
)

// asset is a token that an address may hold.
type asset struct {
	token    starknet.Felt
	evidence []object
	metadata object
}

// countedEvidence is how many transfers are counted for a lower bound.
const countedEvidence = 20

// assets lists the tokens of an address: those of the registry by address, if
// they are wanted, then all others that it sent or received.
func (m *Model) assets(owner starknet.Felt, withRegistry bool) (list []asset) {
	var listed []starknet.Felt
	known := map[starknet.Felt]*description{}
	for _, r := range m.Registry.Addresses {
		if r.Token != nil && withRegistry {
			listed, known[r.Address] = append(listed, r.Address), r.Token
		}
	}
	slices.SortFunc(listed, starknet.Felt.Cmp)
	for _, token := range listed {
		a := asset{token, m.evidence(owner, token), m.metadata(token, known[token])}
		a.evidence = append(a.evidence, object{"tier": "listed", "source": "token_registry", "lastObservedBlock": nil, "evidenceCountLowerBound": nil})
		list = append(list, a)
	}
	for _, token := range m.Order[owner] {
		if known[token] == nil {
			list = append(list, asset{token, m.evidence(owner, token), m.metadata(token, nil)})
		}
	}
	return list
}

// moved lists the tokens that an address sent or received, by address.
func (m *Model) moved(owner starknet.Felt) (tokens []starknet.Felt) {
	for _, t := range m.transfers(func(t transfer) bool { return t.movement.from == owner || t.movement.to == owner }) {
		tokens = append(tokens, t.token)
	}
	return distinct(tokens)
}

// evidence is what the transfers show about a token.
func (m *Model) evidence(owner, token starknet.Felt) (list []object) {
	received := m.transfers(func(t transfer) bool { return t.token == token && t.movement.to == owner })
	sent := m.transfers(func(t transfer) bool { return t.token == token && t.movement.from == owner })
	for i, rows := range [][]transfer{received, sent} {
		if len(rows) > 0 {
			list = append(list, object{
				"tier": "observed", "source": []string{"transfers_received", "transfers_sent"}[i],
				"lastObservedBlock": rows[0].block.BlockNumber, "evidenceCountLowerBound": min(countedEvidence, len(rows)),
			})
		}
	}
	return list
}

// metadata is the name and symbol of a token, from the contract or else from
// the registry.
func (m *Model) metadata(token starknet.Felt, registry *description) object {
	called, standard := m.called[token], m.standardOf(token)
	if registry != nil {
		if called.Symbol == nil {
			called.Symbol = registry.Symbol
		}
		if called.Name == nil {
			called.Name = registry.Name
		}
		if called.Decimals == nil {
			called.Decimals = registry.Decimals
		}
		if standard == "" {
			standard = "erc20"
		}
	}
	return object{"symbol": called.Symbol, "name": called.Name, "decimals": called.Decimals, "standard": stringOrNull(standard)}
}

func (m *Model) discovery(r Request, owner starknet.Felt) Answer {
	scope := "discovered_plus_registry"
	if r.Query.Has("scope") {
		scope = r.Query.Get("scope")
	}
	answer := pageOf(m, r, 25, 50, m.assets(owner, scope == "discovered_plus_registry"), func(a asset) object {
		return object{"tokenAddress": a.token.String(), "evidence": a.evidence, "metadata": a.metadata}
	}, nil)
	if body, ok := answer.Body.(object); ok {
		body["coverage"] = m.assetCoverage(owner, scope, body["nextCursor"] != nil)
	}
	return answer
}

// assetCoverage is the coverage of the token list of an address.
func (m *Model) assetCoverage(owner starknet.Felt, scope string, goesOn bool) object {
	reasons := []string{}
	if goesOn {
		reasons = append(reasons, "limit_reached")
	}
	if m.first() > 0 {
		reasons = append(reasons, "index_starts_later")
	}
	if m.doubted(owner, nil, nil, nil) {
		reasons = append(reasons, "untyped_transfers")
	}
	return object{
		"declaredScope": scope, "completeWithinScope": len(reasons) == 0, "globallyComplete": false,
		"reasonCodes": reasons, "coveredThroughBlock": m.head().BlockNumber,
	}
}
