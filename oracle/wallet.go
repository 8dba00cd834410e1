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
	if q.mode == "require_complete" && q.scope != "explicit" && (m.first() > 0 || m.doubted(q.owner, nil, nil, nil)) {
		return Answer{Status: http.StatusUnprocessableEntity, Code: "history_not_indexed"}
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
	candidates, coverage := m.candidates(b, q)
	items, statuses := m.balances(b, q, candidates)
	complete := coverage["completeWithinScope"].(bool) && len(statuses) == 0
	if q.mode == "require_complete" {
		switch {
		case slices.Contains(coverage["reasonCodes"].([]string), "limit_reached"):
			return invalid
		case slices.Contains(statuses, "unsupported"):
			return Answer{Status: http.StatusUnprocessableEntity, Code: "unsupported_token"}
		case !complete:
			return Answer{Status: http.StatusServiceUnavailable, Code: "service_unavailable"}
		}
	}
	correctness := "verified_partial"
	if complete {
		correctness = "verified_complete"
	}
	return found(object{
		"chainId": m.Chain, "ownerAddress": q.owner.String(), "scope": q.scope, "coverage": coverage, "correctness": correctness, "items": items,
		"block": object{"preference": q.preference, "blockNumber": b.BlockNumber, "blockHash": b.BlockHash.String(), "finalityStatus": m.finality(b)},
	})
}

// balances reads the balance of every token. It returns the statuses of those
// that returned no number.
func (m *Model) balances(b *Block, q walletQuestion, candidates []asset) (items []object, statuses []string) {
	items = []object{}
	for _, a := range candidates {
		item := object{"tokenAddress": a.token.String(), "metadata": a.metadata, "status": "ok", "balanceRaw": nil}
		if balance := m.numberAt(b, a.token, balanceViews, q.owner); balance != nil {
			item["balanceRaw"] = balance.String()
		} else {
			item["status"] = m.unread(b, a.token, q.owner)
			statuses = append(statuses, item["status"].(string))
		}
		items = append(items, item)
	}
	return items, statuses
}

// unread is the status of a balance that is not a number: unsupported if the
// contract has neither of the entry points.
func (m *Model) unread(b *Block, token, owner starknet.Felt) string {
	for _, view := range balanceViews {
		_, err := m.Read(b.BlockNumber, token, view, owner)
		missing := errors.Is(err, vm.ErrNoContract) || errors.Is(err, vm.ErrNoEntryPoint) && !m.delegatesAt(token, b)
		if !missing {
			return "error"
		}
	}
	return "unsupported"
}

// candidates are the tokens of a snapshot and their coverage. Tokens of the
// registry that do not exist do not count.
func (m *Model) candidates(b *Block, q walletQuestion) (list []asset, coverage object) {
	if q.scope != "explicit" {
		list = slices.DeleteFunc(m.assets(q.owner, q.scope == "discovered_plus_registry"), func(a asset) bool { return !m.exists(b, a.token) })
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
