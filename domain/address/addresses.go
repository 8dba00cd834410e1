package address

import (
	"context"
	"math"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Store reads addresses. Each read returns results in the order of the
// addresses, from one snapshot.
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
	// SummariesOf returns the evidence for the summary of each address. It
	// counts a bounded number of its newest transactions.
	SummariesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt, count int) ([]Evidence, error)
	// ProfilesOf returns the profile of each address.
	ProfilesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]Profile, error)
}

// UntypedStore reads the evidence of transfers that cannot be typed, as
// token.UntypedStore does.
type UntypedStore interface {
	UntypedOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt, role facts.UntypedRole, from, to uint64) ([]bool, error)
}

// Addresses reads addresses.
type Addresses struct {
	store           Store
	untyped         UntypedStore
	implementations *chain.Implementations
	statuses        *chain.Statuses
	labels          *Labels
}

// NewAddresses makes the service.
func NewAddresses(store Store, untyped UntypedStore, implementations *chain.Implementations, statuses *chain.Statuses, labels *Labels) *Addresses {
	return &Addresses{store, untyped, implementations, statuses, labels}
}

// ReasonZeroAddress is the reason code of the activity of the zero address:
// tokens are minted from it and burnt to it, which is nothing that it does, so
// that no activity of it is kept. Its transfers are.
const ReasonZeroAddress = "zero_address_not_indexed"

// Coverage says whether the whole activity of each address is indexed and
// typed.
func (a *Addresses) Coverage(ctx context.Context, c domain.Chain, owners []starknet.Felt) ([]domain.Coverage, error) {
	_, coverage, untyped, err := a.coveredTransfers(ctx, c, owners)
	if err != nil {
		return nil, err
	}
	list := make([]domain.Coverage, len(owners))
	for i := range owners {
		list[i] = coverage.Untyped(untyped[i])
		if owners[i].IsZero() {
			list[i] = domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: ReasonZeroAddress}
		}
	}
	return list, nil
}

// coveredTransfers is covered, with whether each address may be a party of an
// untyped transfer.
func (a *Addresses) coveredTransfers(ctx context.Context, c domain.Chain, owners []starknet.Felt) (through *uint64, coverage domain.Coverage, untyped []bool, err error) {
	if through, coverage, err = a.covered(ctx, c); err != nil {
		return nil, coverage, nil, err
	}
	untyped, err = a.untyped.UntypedOf(ctx, c, owners, facts.UntypedParty, 0, math.MaxInt32)
	return through, coverage, untyped, err
}

// accountsBehind reports which of the addresses are accounts by what they execute
// as proxies, as chain.Implementations.Accounts does. classOf returns the class of
// an address by its position, and whether that may be a proxy.
func (a *Addresses) accountsBehind(ctx context.Context, c domain.Chain, addresses []starknet.Felt, classOf func(i int) (class *starknet.Felt, mayBeProxy bool)) (map[starknet.Felt]*bool, error) {
	classes := map[starknet.Felt]starknet.Felt{}
	for i, address := range addresses {
		if class, mayBeProxy := classOf(i); class != nil && mayBeProxy {
			classes[address] = *class
		}
	}
	if len(classes) == 0 {
		return nil, nil
	}
	horizon, err := a.statuses.Horizon(ctx, c)
	if err != nil || horizon.Coverage == nil {
		return nil, err
	}
	return a.implementations.Accounts(ctx, c, horizon.Coverage.Last, classes)
}

// covered returns the newest block that readers see, too; nil when there is
// none.
func (a *Addresses) covered(ctx context.Context, c domain.Chain) (through *uint64, coverage domain.Coverage, err error) {
	horizon, err := a.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, coverage, err
	}
	if horizon.Coverage != nil {
		through = &horizon.Coverage.Last
	}
	return through, horizon.History(), nil
}

// spread calls read with the distinct addresses and returns results for all of
// them, duplicates included.
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
