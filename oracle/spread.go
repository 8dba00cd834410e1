package oracle

import (
	"math/big"
	"net/http"

	"astrolabe/starknet"
)

// screenedMost is the number of holders in a screening.
const screenedMost = 100

// certifiedCensus is a census that screening and analytics are computed from.
func (m *Model) certifiedCensus(token starknet.Felt) (generation, *Answer) {
	c, refusal := m.census(token)
	if refusal == nil && c.status != "certified" {
		refusal = &Answer{Status: http.StatusUnprocessableEntity, Code: "census_not_certified"}
	}
	return c, refusal
}

// screening is the largest holders of a census.
func (m *Model) screening(token starknet.Felt) Answer {
	c, refusal := m.certifiedCensus(token)
	if refusal != nil {
		return *refusal
	}
	return found(object{
		"chainId": m.Chain, "tokenAddress": token.String(), "asOfBlock": c.block.BlockNumber, "populationComplete": false,
		"certification": object{"status": c.status}, "items": render(c.holders[:min(screenedMost, len(c.holders))], holderBody),
	})
}

// tiers are the bands of a distribution by minimum share, in hundredths of a
// percent.
var tiers = []struct {
	name string
	bps  int64
}{{"at_least_10_percent", 1000}, {"at_least_1_percent", 100}, {"at_least_0_1_percent", 10}, {"at_least_0_01_percent", 1}, {"below_0_01_percent", 0}}

// analytics describes the distribution of a token over its holders.
func (m *Model) analytics(token starknet.Felt) Answer {
	c, refusal := m.certifiedCensus(token)
	if refusal != nil {
		return *refusal
	}
	ratio := func(part *big.Int, whole int64) int64 { // of the total, rounded down
		if c.total.Sign() == 0 {
			return 0
		}
		n := new(big.Int).Mul(part, big.NewInt(whole))
		return n.Quo(n, c.total).Int64()
	}
	top := func(n int) object {
		sum := new(big.Int)
		for _, h := range c.holders[:min(n, len(c.holders))] {
			sum.Add(sum, h.balance)
		}
		return object{"balanceRaw": sum.String(), "shareBps": ratio(sum, 10_000)}
	}
	body := object{
		"chainId": m.Chain, "tokenAddress": token.String(), "asOfBlock": c.block.BlockNumber, "validatedAgainst": "total_supply_at_block",
		"asOfBlockHash": c.block.BlockHash.String(), "rowDigest": c.digest(),
		"top5": top(5), "top10": top(10), "top100": top(100), "giniPpm": gini(c.holders, c.total), "nakamoto50Count": nil,
	}
	counts, sums := make([]int, len(tiers)), make([]*big.Int, len(tiers))
	for i := range sums {
		sums[i] = new(big.Int)
	}
	sum, above := new(big.Int), 0
	for i, h := range c.holders {
		if sum.Add(sum, h.balance); body["nakamoto50Count"] == nil && new(big.Int).Lsh(sum, 1).Cmp(c.total) > 0 {
			body["nakamoto50Count"] = i + 1
		}
		if new(big.Int).Mul(h.balance, big.NewInt(100)).Cmp(c.total) > 0 {
			above++
		}
		for j, tier := range tiers {
			if ratio(h.balance, 10_000) >= tier.bps {
				counts[j]++
				sums[j].Add(sums[j], h.balance)
				break
			}
		}
	}
	distribution := []object{}
	for j, tier := range tiers {
		distribution = append(distribution, object{"tier": tier.name, "minShareBps": tier.bps, "count": counts[j], "balanceRaw": sums[j].String()})
	}
	body["holdersAbove1Percent"], body["tierDistribution"] = above, distribution
	return found(body)
}

// gini is the mean difference between any two holders over twice the mean
// balance, in millionths, rounded down.
func gini(holders []holder, total *big.Int) int64 {
	if total.Sign() == 0 {
		return 0
	}
	apart := new(big.Int) // the differences of all pairs, each in both orders
	for i := range holders {
		for j := range holders {
			d := new(big.Int).Sub(holders[i].balance, holders[j].balance)
			apart.Add(apart, d.Abs(d))
		}
	}
	apart.Mul(apart, big.NewInt(1_000_000))
	return apart.Quo(apart, new(big.Int).Mul(big.NewInt(int64(2*len(holders))), total)).Int64()
}
