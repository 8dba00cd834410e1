package privacy

import (
	"context"
	"time"

	"astrolabe/domain"
)

// Aggregates are sums over the finalized events of the pools of a chain. They
// are not the canonical ledger, which is Snapshot.
type Aggregates struct {
	LedgerView
	Events Counts
	// Assets are the tokens that flowed last, from the newest, at most
	// MostTokens; Truncated reports that there are more.
	Assets    []Asset
	Truncated bool
	// Undescribed counts the tokens that flowed and whose symbol or decimals are
	// not known.
	Undescribed uint64
}

// UnavailableMetric is a number that public events do not give.
type UnavailableMetric struct{ Metric, ReasonCode, Reason string }

// UnavailableMetrics lists the numbers that readers may expect and that no
// answer has.
var UnavailableMetrics = []UnavailableMetric{
	{"tvlUsd", "requires_balance_and_price_snapshots", "A value needs balances and prices at one moment. This service has neither for the pool."},
	{"privateSwapVolume", "volume_pricing_not_certified", "The pool's events do not say which flows are swaps, and their prices are not certified."},
	{"exactAnonymitySet", "commitment_state_materializer_required", "Counts of public events are not an anonymity set."},
	{"privateActivity", "private_activity_metrics_not_migrated", "Activity within the pool is hidden by design."},
}

// retryLedger is the Retry-After while a ledger is being built.
const retryLedger = 10 * time.Second

// Analytics returns the sums of a chain. It is service_unavailable while the
// ledger is being built, because nothing is known then.
func (p *Prepared) Analytics(ctx context.Context, c domain.Chain) (Aggregates, error) {
	sums, err := p.store.Aggregates(ctx, c, MostTokens)
	if err == nil && sums.Through == nil && sums.Pools > 0 {
		err = domain.Unavailable(retryLedger, nil, "The flow ledger of %s is being built from finalized blocks. Retry.", c)
	}
	return sums, err
}
