package token

import (
	"cmp"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// CensusStatus is the certification status of a census generation.
type CensusStatus string

// The statuses. Rows are served of certified generations only.
const (
	CensusCertified   CensusStatus = "certified"    // its balances add up to the supply at its block
	CensusAuditFailed CensusStatus = "audit_failed" // they do not add up to it
	CensusUnavailable CensusStatus = "unavailable"  // the supply could not be read at the block
	CensusRevoked     CensusStatus = "revoked"      // the data it was built from changed, or an operator revoked it
)

// Reason codes of generations that are not certified.
const (
	ReasonSupplyMismatch   = "supply_mismatch"   // the sum of the balances differs from the supply
	ReasonNegativeBalance  = "negative_balance"  // an address sent more than it received according to the events
	ReasonSupplyUnreadable = "supply_unreadable" // the supply view reverted or did not return a number
	ReasonRolledBack       = "rolled_back"       // a rollback removed its block
	ReasonRederived        = "rederived"         // its transfers were derived again
	ReasonOutdated         = "index_outdated"    // the index was made by another version of the program
	ReasonOperator         = "operator"          // an operator revoked it; it is not rebuilt until the operator allows it
)

// Holder is one row of a census. Ranks go from 1 without gaps, by balance from
// the largest and then by address from the smallest.
type Holder struct {
	Rank    int64
	Address starknet.Felt
	Balance domain.Amount
	Updated uint64 // the newest block with a transfer from or to the address
}

// SortHolders puts rows into the order of their ranks.
func SortHolders(rows []Holder) {
	slices.SortFunc(rows, func(a, b Holder) int { return cmp.Compare(a.Rank, b.Rank) })
}

// Snapshot is all holders of a token after a block. It is immutable.
// Generations share one while no token is transferred.
type Snapshot struct {
	ID        int64
	Holders   int64
	Total     domain.Amount
	Digest    [32]byte // sha256 over the lines "rank,address,balance\n"
	Analytics Analytics
}

// Generation is one census of a token at a finalized block.
type Generation struct {
	ID        int64
	Token     starknet.Felt
	Block     domain.BlockRef
	Status    CensusStatus
	Reason    string    // empty while certified
	CheckedAt time.Time // when the status was decided
	ExpiresAt time.Time // when its rows and cursors end, in whole seconds
	Snapshot  *Snapshot // nil unless it is certified
}

var (
	// ErrCensusStale means that a census is of something that is no longer so:
	// it was not made, or not published.
	ErrCensusStale = errors.New("what the census was to be made of has changed")
	// ErrCensusTaken means that another process is making the token's census.
	ErrCensusTaken = errors.New("another process is making this census")
)

// Name is the generation's name for clients.
func (g *Generation) Name() string { return "gen_" + strconv.FormatInt(g.ID, 10) }

// Position is the place of a holder in the list of the generation's.
func (g *Generation) Position(h Holder) domain.Position {
	return domain.Position{uint64(g.ID), uint64(h.Rank)}
}

// Checked is CheckedAt in whole seconds, like ExpiresAt in responses.
func (g *Generation) Checked() time.Time { return g.CheckedAt.UTC().Truncate(time.Second) }

// Completeness says whether the generation contains all holders.
type Completeness string

// The degrees of completeness. Without a snapshot a list has no rows.
const (
	CensusExact     Completeness = "exact"
	CensusTruncated Completeness = "truncated"
)

// Completeness of the generation's list of holders.
func (g *Generation) Completeness() Completeness {
	if g.Snapshot == nil {
		return CensusTruncated
	}
	return CensusExact
}

// RowDigest is the digest of the snapshot's rows with the name of its
// algorithm.
func (s *Snapshot) RowDigest() string { return "sha256:" + hex.EncodeToString(s.Digest[:]) }

// Live reports whether the generation's rows may be served.
func (g *Generation) Live(now time.Time) bool {
	return g.Status == CensusCertified && g.Snapshot != nil && now.Before(g.ExpiresAt)
}

// CensusState is the state of a token's census at one moment.
type CensusState struct {
	Known  bool          // the contract is a token
	Policy *CensusPolicy // nil until it was judged
	Held   bool          // an operator revoked its census
	// Generation is the newest live one, else the newest of all; nil when there
	// is none.
	Generation *Generation
}

// warming is the Retry-After of a census that is not ready yet.
const warming = 5 * time.Second

func preparing() error {
	return domain.Unavailable(warming, nil, "The holder census of this token is being prepared. Retry the same request, with the same cursor.")
}

// Serve returns the generation that answers a request. It is not_found for an
// unknown token, unqualified_token_policy for a token that does not qualify,
// and service_unavailable until there is a generation.
func (s CensusState) Serve(address starknet.Felt, now time.Time) (*Generation, error) {
	switch {
	case !s.Known:
		return nil, Unknown(address)
	case s.Policy == nil:
		return nil, preparing()
	case !s.Policy.Qualified:
		return nil, domain.Errorf(domain.CodeUnqualifiedToken, "This token does not qualify for a holder census (%s). %s", s.Policy.Reason, requirement(s.Policy.Reason))
	case s.Generation == nil || s.Generation.Status == CensusCertified && !s.Generation.Live(now):
		return nil, preparing()
	}
	return s.Generation, nil
}
