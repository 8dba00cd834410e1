package token

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"math/big"
	"strconv"

	"astrolabe/domain"
)

// Tally audits the rows of a census against the token's supply, one after the
// other in the order of their ranks, in little memory whatever their number.
type Tally struct {
	supply *big.Int
	digest hash.Hash
	line   []byte

	last    *Holder
	holders int64
	total   *big.Int // of the balances so far
	ranked  *big.Int // of rank times balance
	debt    bool     // a balance was negative

	nakamoto   *int64
	above      int64
	tops       []Share // of the first 5, 10 and 100
	bands      []Tier
	bandTotals []*big.Int
	half       *big.Int // more than this is more than half
	percent    *big.Int // more than this is more than one percent
	least      []*big.Int
	band       int
}

// topSizes are how many holders each of the top shares counts.
var topSizes = [...]int64{5, 10, 100}

// NewTally begins an audit against a supply.
func NewTally(supply domain.Amount) *Tally {
	t := &Tally{
		supply: supply.Big(), digest: sha256.New(), total: new(big.Int), ranked: new(big.Int),
		half: new(big.Int).Quo(supply.Big(), big.NewInt(2)), percent: new(big.Int).Quo(supply.Big(), big.NewInt(100)),
	}
	for _, tier := range tiers {
		t.bands = append(t.bands, Tier{Name: tier.name, MinShareBps: tier.bps})
		t.bandTotals = append(t.bandTotals, new(big.Int))
		t.least = append(t.least, atLeast(tier.bps, t.supply))
	}
	return t
}

// Add takes the next row. It is an error when the row is out of order: then the
// rows are not a census at all.
func (t *Tally) Add(h Holder) error {
	if h.Rank != t.holders+1 || h.Balance.Sign() == 0 || h.Address.IsZero() || t.last != nil && !follows(*t.last, h) {
		return fmt.Errorf("row %d of a census is out of order: %s with %s", h.Rank, h.Address, h.Balance)
	}
	t.last, t.holders = &h, h.Rank
	t.line = appendLine(t.line[:0], h)
	t.digest.Write(t.line)
	balance := h.Balance.Big()
	t.total.Add(t.total, balance)
	if t.debt = t.debt || balance.Sign() < 0; t.debt {
		return nil // the audit has failed; only the total is still of interest
	}
	t.spread(balance)
	return nil
}

// follows reports whether a row is ordered after another.
func follows(before, h Holder) bool {
	order := before.Balance.Cmp(h.Balance)
	return order > 0 || order == 0 && before.Address.Cmp(h.Address) < 0
}

// appendLine appends a row as the digest takes it.
func appendLine(line []byte, h Holder) []byte {
	line = append(strconv.AppendInt(line, h.Rank, 10), ',')
	line = append(h.Address.Append(line), ',')
	return append(append(line, h.Balance.String()...), '\n')
}

// spread counts a balance that is already part of the total.
func (t *Tally) spread(balance *big.Int) {
	t.ranked.Add(t.ranked, new(big.Int).Mul(balance, big.NewInt(t.holders)))
	if t.nakamoto == nil && t.total.Cmp(t.half) > 0 {
		t.nakamoto = new(t.holders)
	}
	if balance.Cmp(t.percent) > 0 {
		t.above++
	}
	for balance.Cmp(t.least[t.band]) < 0 { // the last tier takes everything
		t.band++
	}
	t.bands[t.band].Count++
	t.bandTotals[t.band].Add(t.bandTotals[t.band], balance)
	for _, size := range topSizes {
		if t.holders == size {
			t.tops = append(t.tops, shareOf(t.total, t.supply))
		}
	}
}

// Close ends the audit. The snapshot, without its id, is only there when the
// status is certified.
func (t *Tally) Close() (CensusStatus, string, *Snapshot) {
	switch {
	case t.total.Cmp(t.supply) != 0:
		return CensusAuditFailed, ReasonSupplyMismatch, nil
	case t.debt:
		return CensusAuditFailed, ReasonNegativeBalance, nil
	}
	for len(t.tops) < len(topSizes) { // there are fewer holders
		t.tops = append(t.tops, shareOf(t.total, t.supply))
	}
	for i := range t.bands {
		t.bands[i].Balance = domain.AmountFromBig(t.bandTotals[i])
	}
	return CensusCertified, "", &Snapshot{
		Holders: t.holders, Total: domain.AmountFromBig(t.total), Digest: [32]byte(t.digest.Sum(nil)),
		Analytics: Analytics{
			Top5: t.tops[0], Top10: t.tops[1], Top100: t.tops[2],
			GiniPpm:    giniPpm(t.holders, t.total, t.ranked),
			Nakamoto50: t.nakamoto, Above1Percent: t.above, Tiers: t.bands,
		},
	}
}

// AuditAgain holds a snapshot that did not change against the supply at a later
// block.
func (s *Snapshot) AuditAgain(supply domain.Amount) (CensusStatus, string) {
	if !s.Total.Equal(supply) {
		return CensusAuditFailed, ReasonSupplyMismatch
	}
	return CensusCertified, ""
}
