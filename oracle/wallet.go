package oracle

import (
	"errors"
	"net/http"

	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// walletMost is how many tokens a snapshot has at most.
const walletMost = 25

// wallet is a snapshot of what an address holds: every balance is what the
// contract said after one block.
func (m *Model) wallet(ask map[string]any) Answer {
	word := func(name, standard string) string {
		if text, given := ask[name].(string); given {
			return text
		}
		return standard
	}
	scope, preference := word("scope", "discovered_plus_registry"), word("blockPreference", "latest_accepted_l2")
	limit, limited := ask["limit"].(int)
	if !limited {
		limit = walletMost
	}
	named, _ := ask["tokenAddresses"].([]string)
	hash, byHash := ask["blockHash"].(string)
	number, byNumber := ask["blockNumber"].(uint64)
	explicit := preference == "explicit"
	if limit < 1 || limit > walletMost || (scope == "explicit") != (len(named) > 0) || len(named) > limit ||
		explicit != (byHash || byNumber) || byHash && byNumber {
		return invalid
	}
	var b *Block
	switch {
	case byHash:
		b = m.blockNamed(hash)
	case byNumber:
		b = m.at(number)
	case preference == "l1_accepted":
		b = m.at(*m.L1)
	default:
		b = m.head()
	}
	if b == nil {
		return notFound
	}
	owner := felt(ask["ownerAddress"].(string))
	candidates, coverage := m.candidates(owner, scope, felts(named), limit)
	reasons := coverage["reasonCodes"].([]string)
	if word("mode", "require_complete") == "require_complete" && len(reasons) > 0 {
		if reasons[0] == "limit_reached" {
			return invalid
		}
		return Answer{Status: http.StatusServiceUnavailable, Code: "service_unavailable"}
	}
	body := object{
		"chainId": m.Chain, "ownerAddress": owner.String(), "scope": scope, "coverage": coverage, "correctness": "verified_complete",
		"block": object{"preference": preference, "blockNumber": b.BlockNumber, "blockHash": b.BlockHash.String(), "finalityStatus": m.finality(b)},
	}
	items := []object{}
	for _, a := range candidates {
		item := object{"tokenAddress": a.token.String(), "metadata": a.metadata, "status": "ok", "balanceRaw": nil}
		balance := m.numberAt(b, a.token, balanceViews, owner)
		switch {
		case balance != nil:
			item["balanceRaw"] = balance.String()
		case scope != "explicit" && !m.exists(b, a.token):
			continue // a token of the registry that is not there
		default:
			item["status"], body["correctness"] = "unsupported", "verified_partial"
		}
		items = append(items, item)
	}
	if len(reasons) > 0 {
		body["correctness"] = "verified_partial"
	}
	body["items"] = items
	return found(body)
}

// candidates are the tokens that a snapshot is about, and what they leave out.
func (m *Model) candidates(owner starknet.Felt, scope string, named []starknet.Felt, limit int) (list []asset, coverage object) {
	if scope != "explicit" {
		list = m.assets(owner, scope == "discovered_plus_registry")
		return list[:min(limit, len(list))], m.assetCoverage(scope, len(list) > limit)
	}
	for _, token := range named {
		list = append(list, asset{token: token, metadata: m.metadata(token, nil)})
	}
	return list, object{
		"declaredScope": scope, "completeWithinScope": true, "globallyComplete": false, "reasonCodes": []string{}, "coveredThroughBlock": nil,
	}
}

// exists tells whether there is a contract at an address after a block.
func (m *Model) exists(b *Block, contract starknet.Felt) bool {
	_, err := m.Read(b.BlockNumber, contract, "name")
	return !errors.Is(err, vm.ErrNoContract)
}
