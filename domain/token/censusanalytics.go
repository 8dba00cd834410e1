package token

import (
	"math/big"

	"astrolabe/domain"
)

// Analytics is the holder concentration of a token. Every number is exact or
// rounded down; a token without holders has zeros.
type Analytics struct {
	Top5, Top10, Top100 Share
	// GiniPpm is the Gini coefficient of the balances in millionths, rounded
	// down: 0 when all hold the same.
	GiniPpm int64
	// Nakamoto50 is the smallest number of holders that together have more than
	// half of the supply; nil without holders.
	Nakamoto50 *int64
	// Above1Percent is how many hold more than one percent of the supply each.
	Above1Percent int64
	Tiers         []Tier
}

// AnalyticsValidation is what analytics were validated against: the total
// supply of the contract at the census block.
const AnalyticsValidation = "total_supply_at_block"

// Share is the combined balance of a group of holders, and its share of the
// supply in basis points, rounded down.
type Share struct {
	Balance domain.Amount
	Bps     int64
}

// Tier is the holders with at least a share of the supply, and less than the
// tier above.
type Tier struct {
	Name        string
	MinShareBps int64
	Count       int64
	Balance     domain.Amount
}

// tiers are the bands of a distribution, from the largest holders down.
var tiers = []struct {
	name string
	bps  int64
}{
	{"at_least_10_percent", 1000},
	{"at_least_1_percent", 100},
	{"at_least_0_1_percent", 10},
	{"at_least_0_01_percent", 1},
	{"below_0_01_percent", 0},
}

// wholeBps is 100 % in basis points.
const wholeBps = 10_000

// shareOf makes a share of the total.
func shareOf(part, total *big.Int) Share {
	share := Share{Balance: domain.AmountFromBig(part)}
	if total.Sign() > 0 {
		bps := new(big.Int).Mul(part, big.NewInt(wholeBps))
		share.Bps = bps.Quo(bps, total).Int64()
	}
	return share
}

// giniPpm returns ((n+1)·T − 2·R) / (n·T) in millionths, rounded down, for n
// holders of T in all, where R is the sum of rank times balance: the mean
// difference between two holders in relation to twice the mean balance.
func giniPpm(holders int64, total, ranked *big.Int) int64 {
	if holders == 0 || total.Sign() == 0 {
		return 0
	}
	gap := new(big.Int).Mul(big.NewInt(holders+1), total)
	gap.Sub(gap, new(big.Int).Lsh(ranked, 1))
	gap.Mul(gap, big.NewInt(1_000_000))
	return gap.Quo(gap, new(big.Int).Mul(big.NewInt(holders), total)).Int64()
}

// atLeast returns the smallest amount that is a share of the total.
func atLeast(bps int64, total *big.Int) *big.Int {
	least := new(big.Int).Mul(total, big.NewInt(bps))
	least.Add(least, big.NewInt(wholeBps-1))
	return least.Quo(least, big.NewInt(wholeBps))
}
