package address

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Summary is the summary of an address. Unknown values are nil.
type Summary struct {
	Address starknet.Felt
	// Found reports whether the address is indexed. If not, all other fields
	// are nil or false.
	Found bool
	// ActivityCount is how many items its activity has. When CountExact is
	// false, it is a lower bound above zero, or nil.
	ActivityCount *int
	CountExact    bool
	LatestBlock   *uint64 // of its activity
	Class         *starknet.Felt
	Account       *bool      // nil when its class, or what that executes as a proxy, is unknown or cannot be read
	CreatedAt     *time.Time // nil unless its deployment was indexed
	DeployedAtTx  *starknet.Felt
	DeployedBy    *starknet.Felt // nil when unknown, and for an account that deployed itself
	// Coverage says whether the activity is indexed and typed.
	Coverage domain.Coverage
}

// Evidence is the data for the summary of an address.
type Evidence struct {
	Seen         bool
	Counted      int // transactions that were counted, the newest ones
	Items        int // of those
	LatestBlock  *uint64
	Class        *starknet.Felt
	Account      *bool // of the class itself
	MayBeProxy   bool  // the class is a Cairo 0 one that is not an account's
	CreatedAt    *time.Time
	DeployedAtTx *starknet.Felt
	DeployedBy   *starknet.Felt
}

// countMost is how many transactions of an address are counted. An address that
// has more gets a lower bound.
const countMost = 100

// Summaries returns the summary of each address, in their order, repeated ones
// included.
func (a *Addresses) Summaries(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]Summary, error) {
	return spread(addresses, func(addresses []starknet.Felt) ([]Summary, error) {
		coverage, err := a.Coverage(ctx, c, addresses)
		if err != nil {
			return nil, err
		}
		found, err := a.store.SummariesOf(ctx, c, addresses, countMost+1)
		if err != nil {
			return nil, err
		}
		accounts, err := a.accountsBehind(ctx, c, addresses, func(i int) (*starknet.Felt, bool) { return found[i].Class, found[i].MayBeProxy })
		if err != nil {
			return nil, err
		}
		list := make([]Summary, len(addresses))
		for i, address := range addresses {
			if account, proxy := accounts[address]; proxy {
				found[i].Account = account
			}
			list[i] = found[i].summary(address, coverage[i].Status == domain.CoverageExact)
			list[i].Coverage = coverage[i]
		}
		return list, nil
	})
}

// summary evaluates the evidence. whole reports that the whole chain is
// indexed. The activity of the zero address is not stored and therefore
// unknown.
func (e *Evidence) summary(address starknet.Felt, whole bool) Summary {
	if !e.Seen {
		return Summary{Address: address}
	}
	s := Summary{
		Address: address, Found: true, CountExact: whole && e.Counted <= countMost && !address.IsZero(), LatestBlock: e.LatestBlock,
		Class: e.Class, Account: e.Account, CreatedAt: e.CreatedAt, DeployedAtTx: e.DeployedAtTx, DeployedBy: e.DeployedBy,
	}
	if s.DeployedBy != nil && *s.DeployedBy == address {
		s.DeployedBy = nil
	}
	if s.CountExact || e.Items > 0 {
		s.ActivityCount = &e.Items
	}
	return s
}
