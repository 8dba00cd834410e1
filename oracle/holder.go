package oracle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"

	"astrolabe/starknet"
)

// holder is who holds a token.
type holder struct {
	rank    int
	address starknet.Felt
	balance *big.Int
	updated uint64 // the last block that moved it
}

// holdersOf adds up the transfers of a token up to a block. Minted tokens come
// from the zero address and burned ones go there; it holds nothing.
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

// holders is the census of a token that qualifies for one, made at the newest
// final block: exact when its balances add up to the supply, else without rows.
// Its name and its times are not the chain's.
func (m *Model) holders(r Request, token starknet.Felt) Answer {
	b := m.at(*m.Finalized)
	list, total := m.holdersOf(token, b.BlockNumber)
	body := object{
		"tokenAddress": token.String(), "asOfBlock": b.BlockNumber, "asOfBlockHash": b.BlockHash.String(),
		"certification": object{"status": "certified"}, "completeness": "exact", "holderCount": len(list), "holderBalanceTotalRaw": total.String(),
	}
	digest := sha256.New()
	for _, h := range list {
		fmt.Fprintf(digest, "%d,%s,%s\n", h.rank, h.address, h.balance)
	}
	body["rowDigest"] = "sha256:" + hex.EncodeToString(digest.Sum(nil))
	supply := m.quantity(Request{Query: map[string][]string{"block_tag": {fmt.Sprint(b.BlockNumber)}}}, object{}, "supply", token, []string{"total_supply", "totalSupply"})
	if supply.Status != 200 || supply.Body.(object)["supply"] != total.String() {
		list, body["certification"], body["completeness"] = nil, object{"status": "audit_failed"}, "truncated"
		body["holderCount"], body["holderBalanceTotalRaw"], body["rowDigest"] = nil, nil, nil
	}
	return pageOf(m, r, 25, 100, list, holderBody, body)
}
