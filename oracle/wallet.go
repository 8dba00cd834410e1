package oracle

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// walletMost is the maximum number of tokens in a snapshot.
const walletMost = 25

// walletQuestion is a snapshot request; absent fields have defaults.
type walletQuestion struct {
	owner                   starknet.Felt
	mode, scope, preference string
	limit                   int
	tokens                  []starknet.Felt
	block                   string // hash or number; empty if absent
}

// readWallet parses and validates a request.
func readWallet(ask map[string]any) (q walletQuestion, ok bool) {
	text := func(name, standard string) string {
		if text, given := ask[name].(string); given {
			return text
		}
		return standard
	}
	q = walletQuestion{
		owner: felt(ask["ownerAddress"].(string)), mode: text("mode", "require_complete"), scope: text("scope", "discovered_plus_registry"),
		preference: text("blockPreference", "latest_accepted_l2"), limit: walletMost, block: text("blockHash", ""),
	}
	if limit, given := ask["limit"].(int); given {
		q.limit = limit
	}
	if tokens, given := ask["tokenAddresses"].([]string); given {
		q.tokens = felts(tokens)
	}
	if number, given := ask["blockNumber"].(uint64); given {
		if q.block != "" {
			return q, false
		}
		q.block = strconv.FormatUint(number, 10)
	}
	return q, q.limit >= 1 && q.limit <= walletMost && len(q.tokens) <= q.limit &&
		(q.scope == "explicit") == (len(q.tokens) > 0) && (q.preference == "explicit") == (q.block != "")
}

// wallet is a snapshot of the balances of an address, all read after one block.
func (m *Model) wallet(ask map[string]any) Answer {
	q, ok := readWallet(ask)
	if !ok {
		return invalid
	}
	b := m.head()
	switch q.preference {
	case "explicit":
		b = m.blockNamed(q.block)
	case "l1_accepted":
		b = m.at(*m.L1)
	}
	if b == nil {
		return notFound
	}
	candidates, coverage := m.candidates(q)
	reasons := coverage["reasonCodes"].([]string)
	switch {
	case q.mode == "require_complete" && slices.Contains(reasons, "limit_reached"):
		return invalid
	case q.mode == "require_complete" && len(reasons) > 0:
		return Answer{Status: http.StatusServiceUnavailable, Code: "service_unavailable"}
	}
	items, whole := m.balances(b, q, candidates)
	correctness := "verified_partial"
	if whole && len(reasons) == 0 {
		correctness = "verified_complete"
	}
	return found(object{
		"chainId": m.Chain, "ownerAddress": q.owner.String(), "scope": q.scope, "coverage": coverage, "correctness": correctness, "items": items,
		"block": object{"preference": q.preference, "blockNumber": b.BlockNumber, "blockHash": b.BlockHash.String(), "finalityStatus": m.finality(b)},
	})
}

// balances reads the balance of every token, and reports whether all of them
// returned a number.
func (m *Model) balances(b *Block, q walletQuestion, candidates []asset) (items []object, whole bool) {
	items, whole = []object{}, true
	for _, a := range candidates {
		item := object{"tokenAddress": a.token.String(), "metadata": a.metadata, "status": "ok", "balanceRaw": nil}
		balance := m.numberAt(b, a.token, balanceViews, q.owner)
		switch {
		case balance != nil:
			item["balanceRaw"] = balance.String()
		case q.scope != "explicit" && !m.exists(b, a.token):
			continue // a registry token that does not exist
		default:
			item["status"], whole = "unsupported", false
		}
		items = append(items, item)
	}
	return items, whole
}

// candidates are the tokens of a snapshot and their coverage.
func (m *Model) candidates(q walletQuestion) (list []asset, coverage object) {
	if q.scope != "explicit" {
		list = m.assets(q.owner, q.scope == "discovered_plus_registry")
		return list[:min(q.limit, len(list))], m.assetCoverage(q.owner, q.scope, len(list) > q.limit)
	}
	for _, token := range q.tokens {
		list = append(list, asset{token: token, metadata: m.metadata(token, nil)})
	}
	return list, object{
		"declaredScope": q.scope, "completeWithinScope": true, "globallyComplete": false, "reasonCodes": []string{}, "coveredThroughBlock": nil,
	}
}

// exists reports whether there is a contract at an address after a block.
func (m *Model) exists(b *Block, contract starknet.Felt) bool {
	_, err := m.Read(b.BlockNumber, contract, "name")
	return !errors.Is(err, vm.ErrNoContract)
}
