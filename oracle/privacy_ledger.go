package oracle

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"astrolabe/starknet"
)

// ledger is what the finalized events of the pool say, up to a block.
type ledger struct {
	m       *Model
	through *Block       // nil if there is nothing to take a snapshot of
	events  []*poolEvent // of the pool up to it
}

// poolLedger is the ledger once everything is folded that can be: up to the
// newest finalized block, or the last one before an event that cannot be read.
func (m *Model) poolLedger() ledger {
	l := ledger{m: m}
	if m.Finalized == nil {
		return l
	}
	events, through := m.poolEvents(), *m.Finalized
	if i := slices.IndexFunc(events, func(e *poolEvent) bool { return e.unread }); i >= 0 && events[i].block.BlockNumber <= through {
		through = events[i].block.BlockNumber - 1
	}
	return ledger{m, m.at(through), events}.upTo(m.at(through))
}

// upTo is the ledger at an earlier block.
func (l ledger) upTo(b *Block) ledger {
	n := slices.IndexFunc(l.events, func(e *poolEvent) bool { return e.block.BlockNumber > b.BlockNumber })
	if n < 0 {
		n = len(l.events)
	}
	return ledger{l.m, b, l.events[:n]}
}

// between has the events whose blocks have a time in a range.
func (l ledger) between(from, to uint64) (events []*poolEvent) {
	for _, e := range l.events {
		if e.block.Timestamp >= from && e.block.Timestamp < to {
			events = append(events, e)
		}
	}
	return events
}

func (l ledger) empty() bool { return l.through == nil || len(l.events) == 0 }

// lag is the number of finalized blocks that could not be folded.
func (l ledger) lag() uint64 { return *l.m.Finalized - l.through.BlockNumber }

// poolIsWhole reports whether the blocks have every event of the pool.
func (m *Model) poolIsWhole() bool {
	return m.first() == 0 || m.deployment(privacyPools[m.Chain]) != nil
}

// poolAsset is what flowed of a token.
type poolAsset struct {
	token                 starknet.Felt
	deposited, withdrawn  *big.Int
	deposits, withdrawals int
	missing               int
	newest                *poolEvent
}

// poolAssets sums the flows of events by token.
func poolAssets(events []*poolEvent) map[starknet.Felt]*poolAsset {
	assets := map[starknet.Felt]*poolAsset{}
	for _, e := range events {
		token := e.field("token")
		if !e.isFlow() || token == nil {
			continue
		}
		a := assets[*token]
		if a == nil {
			a = &poolAsset{token: *token, deposited: new(big.Int), withdrawn: new(big.Int)}
			assets[*token] = a
		}
		sum := a.withdrawn
		if e.isDeposit() {
			sum = a.deposited
			a.deposits++
		} else {
			a.withdrawals++
		}
		if amount := e.amount(); amount != nil {
			sum.Add(sum, amount)
		} else {
			a.missing++
		}
		a.newest = e
	}
	return assets
}

func (a *poolAsset) net() *big.Int { return new(big.Int).Sub(a.deposited, a.withdrawn) }

func (a *poolAsset) status() (status, reason string) {
	switch {
	case a.missing > 0:
		return "degraded", "amount_decode_incomplete"
	case a.net().Sign() < 0:
		return "degraded", "negative_protected_amount"
	}
	return "complete", "finalized_public_flow_ledger"
}

// assets are those of the ledger by address.
func (l ledger) assets() []*poolAsset {
	assets := poolAssets(l.events)
	return slices.SortedFunc(maps.Values(assets), func(a, b *poolAsset) int { return a.token.Cmp(b.token) })
}

// missing counts flows without an amount.
func (l ledger) missing() (n int) {
	for _, e := range l.events {
		if e.isFlow() && e.amount() == nil {
			n++
		}
	}
	return n
}

// status tells whether the ledger may be published, with some of its assets.
func (l ledger) status(assets []*poolAsset) (status, reason string) {
	degraded := func(a *poolAsset) bool { status, _ := a.status(); return status != "complete" }
	if !l.m.poolIsWhole() || l.missing() > 0 || slices.ContainsFunc(assets, degraded) {
		return "degraded", "incomplete_finalized_flow_ledger"
	}
	return "complete", "finalized_public_flow_ledger"
}

// newestFlow is the last event that moved tokens; nil if there is none.
func (l ledger) newestFlow() *poolEvent {
	for _, e := range newestFirst(l.events) {
		if e.isFlow() {
			return e
		}
	}
	return nil
}

// wallets are those that have set a viewing key.
func wallets(events []*poolEvent) map[starknet.Felt]bool {
	set := map[starknet.Felt]bool{}
	for _, e := range events {
		if w := e.wallet(); w != nil {
			set[*w] = true
		}
	}
	return set
}

// count counts the events with one of some names.
func count(events []*poolEvent, names ...string) (n int) {
	for _, e := range events {
		if slices.Contains(names, e.name) {
			n++
		}
	}
	return n
}

// inWhole writes an amount in whole tokens.
func inWhole(amount *big.Int, decimals int) string {
	whole, rest := new(big.Int).QuoRem(amount, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil), new(big.Int))
	if rest.Sign() == 0 {
		return whole.String()
	}
	digits := rest.String()
	return whole.String() + "." + strings.TrimRight(strings.Repeat("0", decimals-len(digits))+digits, "0")
}
