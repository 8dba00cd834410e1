package oracle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// holder is a holder of a token.
type holder struct {
	rank    int
	address starknet.Felt
	balance *big.Int
	updated uint64 // last block with a transfer
}

// holdersOf adds up the transfers of a token up to a block. Minted tokens come
// from the zero address and burned tokens go there; it holds nothing.
func (m *Model) holdersOf(token starknet.Felt, block uint64) (list []holder, total *big.Int) {
	all := map[starknet.Felt]*holder{}
	add := func(address starknet.Felt, amount *big.Int, block uint64) {
		if all[address] == nil {
			all[address] = &holder{address: address, balance: new(big.Int)}
		}
		h := all[address]
		h.balance.Add(h.balance, amount)
		h.updated = block
	}
	for _, t := range newestFirst(m.transfers(func(t transfer) bool { return t.token == token && t.block.BlockNumber <= block })) {
		add(t.movement.from, new(big.Int).Neg(t.amount), t.block.BlockNumber)
		add(t.movement.to, t.amount, t.block.BlockNumber)
	}
	total = new(big.Int)
	for address, h := range all {
		if !address.IsZero() && h.balance.Sign() > 0 {
			list = append(list, *h)
			total.Add(total, h.balance)
		}
	}
	slices.SortFunc(list, func(a, b holder) int { return cmp.Or(b.balance.Cmp(a.balance), a.address.Cmp(b.address)) })
	for i := range list {
		list[i].rank = i + 1
	}
	return list, total
}

func holderBody(h holder) object {
	return object{"rank": h.rank, "address": h.address.String(), "balanceRaw": h.balance.String(), "lastUpdatedBlock": h.updated}
}

// generation is a census: the holders of a token after a finalized block.
// Without certification it has no rows.
type generation struct {
	block   *Block
	status  string
	holders []holder
	total   *big.Int
}

// census returns the census of a qualified token at the newest finalized block.
// It is certified if its balances add up to the supply.
func (m *Model) census(token starknet.Felt) (c generation, refusal *Answer) {
	switch {
	case m.standardOf(token) == "":
		return c, &notFound
	case !m.Counted || m.tokenSince(token) > *m.Finalized:
		return c, &Answer{Status: http.StatusServiceUnavailable, Code: "service_unavailable"}
	case !m.qualifies(token, *m.Finalized):
		return c, &Answer{Status: http.StatusUnprocessableEntity, Code: "unqualified_token_policy"}
	}
	c = generation{block: m.at(*m.Finalized), status: "certified"}
	c.holders, c.total = m.holdersOf(token, c.block.BlockNumber)
	supply := m.numberAt(c.block, token, supplyViews)
	switch {
	case supply == nil:
		c.status = "unavailable"
	case supply.Cmp(c.total) != 0:
		c.status = "audit_failed"
	}
	if c.status != "certified" {
		c.holders = nil
	}
	return c, nil
}

// digest is that of all rows.
func (c generation) digest() string {
	digest := sha256.New()
	for _, h := range c.holders {
		fmt.Fprintf(digest, "%d,%s,%s\n", h.rank, h.address, h.balance)
	}
	return "sha256:" + hex.EncodeToString(digest.Sum(nil))
}

// qualifies reports whether all transfers of a token up to a block are known:
// it was deployed in these blocks, and the ABIs of everything that it executed
// fix the same layout of an ERC-20 Transfer.
func (m *Model) qualifies(token starknet.Felt, block uint64) bool {
	if m.doubtful(token, block) {
		return false
	}
	if changes := m.changes[token]; len(changes) == 0 || !changes[0].deployed || changes[0].block.BlockNumber > block {
		return false
	}
	layout := ""
	for i := range m.Blocks {
		if m.Blocks[i].BlockNumber > block {
			break
		}
		for _, c := range m.codes(token, &m.Blocks[i]) {
			class := c[len(c)-1]
			if len(c) == 1 && m.delegates(class) {
				if layout == "" && len(m.stored[token]) > 0 {
					continue // not set up yet
				}
				return false
			}
			schema := m.Classes[class]
			if standard(schema) != "erc20" {
				return false
			}
			fixed := transferLayout(schema)
			if fixed == "" || layout != "" && fixed != layout {
				return false
			}
			layout = fixed
		}
	}
	return layout != ""
}

// transferLayout describes the Transfer event of a class; it is empty if the
// event could mean something other than an amount.
func transferLayout(schema *abi.Schema) string {
	var all []string
	for _, l := range schema.Events() {
		if !announces(l.Selectors) {
			continue
		}
		text, seen := fmt.Sprint(texts(l.Selectors)), map[string]bool{}
		for _, p := range l.Params {
			role := roles[strings.ToLower(strings.ReplaceAll(p.Name, "_", ""))]
			if role == "" && p.Type.Shape == abi.ShapeU256 {
				role = "amount"
			}
			seen[role] = true
			text += fmt.Sprint(" ", p.Source, role, p.Type.Shape == abi.ShapeContractAddress)
		}
		if l.Unsupported() != nil || l.Name != "Transfer" || len(l.Params) != 3 || !seen["from"] || !seen["to"] || !seen["amount"] {
			return ""
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "; ")
}

// holders lists a census. Its id and times do not come from the chain.
func (m *Model) holders(r Request, token starknet.Felt) Answer {
	if _, ok := limitOf(r.Query, "limit", 25, 100); !ok {
		return invalid
	}
	c, refusal := m.census(token)
	if refusal != nil {
		return *refusal
	}
	body := object{
		"tokenAddress": token.String(), "asOfBlock": c.block.BlockNumber, "asOfBlockHash": c.block.BlockHash.String(),
		"certification": object{"status": c.status}, "completeness": "truncated", "holderCount": nil, "holderBalanceTotalRaw": nil, "rowDigest": nil,
	}
	if c.status == "certified" {
		body["completeness"], body["holderCount"], body["holderBalanceTotalRaw"] = "exact", len(c.holders), c.total.String()
		body["rowDigest"] = c.digest()
	}
	return pageOf(m, r, 25, 100, c.holders, holderBody, body)
}
