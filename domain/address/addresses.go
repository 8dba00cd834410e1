package address

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Store is what the index holds of addresses. Each read answers in the order
// of its addresses and is of one moment.
type Store interface {
	// ActivityOf returns the newest transactions of each address up to a
	// place, the newest first, with the address' own transfers. They hold at
	// least count items that follow the place, unless there are fewer.
	ActivityOf(ctx context.Context, c domain.Chain, owners []starknet.Felt, after Place, count int) ([][]Involvement, error)
	// ActivityFrom does the same for the oldest transactions from a place on,
	// the oldest first.
	ActivityFrom(ctx context.Context, c domain.Chain, owners []starknet.Felt, from Place, count int) ([][]Involvement, error)
	// TransactionsOf returns the newest count transactions of each address
	// below a place, the newest first.
	TransactionsOf(ctx context.Context, c domain.Chain, owners []starknet.Felt, below chain.TxPlace, count int) ([][]Involvement, error)
	// AssetsOf returns evidence that addresses hold tokens.
	AssetsOf(ctx context.Context, c domain.Chain, q AssetQuery) ([][]Holding, error)
	// SummariesOf returns what a summary of each address rests on. It counts
	// at most so many of its newest transactions.
	SummariesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt, count int) ([]Evidence, error)
	// ProfilesOf returns what each address shows of itself.
	ProfilesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]Sight, error)
}

// Addresses answers what is known of addresses.
type Addresses struct {
	store    Store
	statuses *chain.Statuses
	labels   *Labels
}

// NewAddresses makes the service.
func NewAddresses(store Store, statuses *chain.Statuses, labels *Labels) *Addresses {
	return &Addresses{store, statuses, labels}
}

// ReasonIndexBehind is the reason code of an answer that lacks what happened
// after the newest indexed block, because the index is far behind the node.
const ReasonIndexBehind = "index_behind"

// Coverage tells whether a chain's index holds the whole history of its
// addresses: from block 0 up to the node's head as it was last seen, except for
// as many blocks as a head needs to become final.
func (a *Addresses) Coverage(ctx context.Context, c domain.Chain) (domain.Coverage, error) {
	_, coverage, err := a.covered(ctx, c)
	return coverage, err
}

// covered returns the newest block that readers see, too; nil when there is
// none.
func (a *Addresses) covered(ctx context.Context, c domain.Chain) (through *uint64, coverage domain.Coverage, err error) {
	statuses, err := a.statuses.Of(ctx, []domain.Chain{c})
	if err != nil {
		return nil, coverage, err
	}
	head := statuses[0].Head
	switch seen := head.Coverage; {
	case seen == nil:
		return nil, domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: ReasonIndexBehind}, nil
	case seen.First > 0:
		coverage = domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexStart}
	case head.Block == nil || head.Block.Number > seen.Last+head.Depth:
		coverage = domain.Coverage{Status: domain.CoveragePartial, ReasonCode: ReasonIndexBehind}
	default:
		coverage = domain.Coverage{Status: domain.CoverageExact}
	}
	return &head.Coverage.Last, coverage, nil
}

// spread answers for every address, repeated ones included, what read answers
// for the different ones.
func spread[T any](addresses []starknet.Felt, read func([]starknet.Felt) ([]T, error)) ([]T, error) {
	place := make(map[starknet.Felt]int, len(addresses))
	different := make([]starknet.Felt, 0, len(addresses))
	for _, address := range addresses {
		if _, known := place[address]; !known {
			place[address] = len(different)
			different = append(different, address)
		}
	}
	found, err := read(different)
	if err != nil || len(different) == len(addresses) {
		return found, err
	}
	all := make([]T, len(addresses))
	for i, address := range addresses {
		all[i] = found[place[address]]
	}
	return all, nil
}
