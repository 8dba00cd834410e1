package verify

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Exact is the only result that makes a record: the source was rebuilt and gave
// the class that was declared.
const Exact = "verified_exact"

// Record is the verification record of a class.
type Record struct {
	Class         starknet.Felt
	ReceiptID     uint64
	IssuedAt      time.Time
	KeyID         string // of the key that signed the receipt
	ReceiptDigest string
}

// Store reads records.
type Store interface {
	// Verifications returns the newest record of each class, in the order of
	// the hashes, nil without one. Records of a revoked key are none.
	Verifications(ctx context.Context, c domain.Chain, classes []starknet.Felt) ([]*Record, error)
}

// Records answers which classes were verified.
type Records struct {
	store     Store
	contracts *chain.Contracts
	statuses  *chain.Statuses
	cache     *chain.Cache
}

// NewRecords makes the service. The cache remembers which classes have a record.
func NewRecords(store Store, contracts *chain.Contracts, statuses *chain.Statuses, cache *chain.Cache) *Records {
	return &Records{store, contracts, statuses, cache}
}

// Verified returns true for each of the classes that has a record. It reads those
// that the cache does not know, at once.
func (r *Records) Verified(ctx context.Context, c domain.Chain, classes []starknet.Felt) (map[starknet.Felt]bool, error) {
	horizon, err := r.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	verified := make(map[starknet.Felt]bool, len(classes))
	var unknown []starknet.Felt
	for _, class := range classes {
		if known, ok := r.cache.Recall(chain.CacheKey{Kind: chain.CachedVerified, Chain: c, Hash: class}, horizon); ok {
			verified[class] = known.(bool)
		} else {
			unknown = append(unknown, class)
		}
	}
	if len(unknown) == 0 {
		return verified, nil
	}
	records, err := r.OfClasses(ctx, c, unknown)
	if err != nil {
		return nil, err
	}
	for i, class := range unknown {
		verified[class] = records[i] != nil
		r.cache.RememberVerified(c, class, horizon, verified[class])
	}
	return verified, nil
}

// OfClasses returns the newest record of each class, in order, nil without one.
func (r *Records) OfClasses(ctx context.Context, c domain.Chain, classes []starknet.Felt) ([]*Record, error) {
	return r.store.Verifications(ctx, c, classes)
}

// OfContract returns the record of the class that a contract has now. It is
// not_found when there is none yet, also when an earlier class of the contract
// has one.
func (r *Records) OfContract(ctx context.Context, c domain.Chain, address starknet.Felt) (*Record, error) {
	contract, err := r.contracts.At(ctx, c, address)
	if err != nil {
		return nil, err
	}
	class, _ := contract.Class()
	if class == nil {
		return nil, domain.Errorf(domain.CodeNotFound, "The class of contract %s is not indexed, so it has no verification record.", address)
	}
	records, err := r.OfClasses(ctx, c, []starknet.Felt{class.Hash})
	if err != nil {
		return nil, err
	}
	if records[0] == nil {
		return nil, domain.Errorf(domain.CodeNotFound, "Class %s has no verification record yet.", class.Hash)
	}
	return records[0], nil
}
