package event

import (
	"time"

	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// SelectorPosition is a key position of the events with one first key.
type SelectorPosition struct {
	Selector starknet.Felt
	Position int // 1 to 15
}

// Certificate guarantees that an index finds all events of a selector by the
// key at a position, from one finalized block through another.
type Certificate struct {
	ID int64
	SelectorPosition
	From    uint64
	Through *uint64 // nil while nothing is covered yet
	Status  CertificateStatus
	// VerifiedAt is when its newest blocks were found equal to the events, or all
	// of it, whichever was later. Through never moves without it; nil while
	// nothing is covered.
	VerifiedAt *time.Time
	// Maintained reports whether a worker maintained the certificate within the
	// last minutes.
	Maintained bool
}

// CertificateStatus is the status of a certificate.
type CertificateStatus string

// The statuses. A certificate is built, verified against the events, and then
// ready; it is extended with the finalized tier and verified periodically. A
// failed one is not repaired: an operator rebuilds it.
const (
	Building CertificateStatus = "building"
	Ready    CertificateStatus = "ready"
	Failed   CertificateStatus = "failed"
)

// Freshness says whether a certificate reaches the newest blocks.
type Freshness string

// The degrees of freshness.
const (
	Current     Freshness = "current"     // what it lacks at the end is read directly
	Stale       Freshness = "stale"       // it lacks more than that, or the index is behind its chain
	Unavailable Freshness = "unavailable" // it is not ready
)

// MaxExtension is how many blocks on each side of a certificate a wide search
// reads directly from the events.
const MaxExtension = 5000

// Diagnostics compare a certificate with the indexed blocks.
type Diagnostics struct {
	Freshness Freshness
	// The blocks that readers can see, and those of them without a gap.
	SourceLow, SourceHigh         uint64
	ContiguousLow, ContiguousHigh uint64
	Lag                           uint64 // blocks that the chain is known to have beyond the coverage
	OpenEnded                     bool   // its end is not fixed: it grows with the chain
	LiveMaintenance               bool
}

// SelectorCoverage is a certificate in the capabilities.
type SelectorCoverage struct {
	Certificate
	Diagnostics
}

// Tier is that of the covered blocks: a certificate grows with the finalized
// tier alone.
func (c *Certificate) Tier() chain.Tier { return chain.FinalizedTier }

// diagnose holds a certificate that covers something against the blocks that
// readers can see, of which there are some, and against those that the chain is
// known to have.
func (c *Certificate) diagnose(horizon chain.Horizon) Diagnostics {
	held := *horizon.Coverage
	d := Diagnostics{
		Freshness: Unavailable, LiveMaintenance: c.Maintained, OpenEnded: true,
		SourceLow: held.First, SourceHigh: held.Last, ContiguousLow: held.First, ContiguousHigh: held.Last,
	}
	newest := held.Last
	if horizon.Head != nil {
		newest = max(newest, *horizon.Head)
	}
	if newest > *c.Through {
		d.Lag = newest - *c.Through
	}
	switch {
	case c.Status != Ready:
	case horizon.Behind, held.Last > *c.Through+MaxExtension:
		d.Freshness = Stale
	default:
		d.Freshness = Current
	}
	return d
}
