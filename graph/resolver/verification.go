package resolver

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/graph/cohort"
	"astrolabe/starknet"
)

// ContractVerification is the verification record of a class: its source was
// rebuilt and reproduced the declared class hash.
type ContractVerification struct {
	ClassHash     starknet.Felt
	Verification  string
	ReceiptID     domain.Amount
	IssuedAt      time.Time
	KeyID         string
	ReceiptDigest string
}

// Verification returns the verification record of the current class.
func (c *Contract) Verification(ctx context.Context) (*ContractVerification, error) {
	return toOne(ctx, c, "Contract.verification", optionalKey((*Contract).ClassHash), c.verifications())
}

// verifications looks up the records of classes; a class without one is nil.
func (on onChain) verifications() lookup[starknet.Felt, *verify.Record, *ContractVerification] {
	return lookup[starknet.Felt, *verify.Record, *ContractVerification]{
		factOf(on, "verification of a class", on.resolver.Verifications.OfClasses),
		func(b *cohort.Batch[starknet.Felt, *verify.Record]) []*ContractVerification {
			return convert(b.Values, func(r *verify.Record) *ContractVerification {
				if r == nil {
					return nil
				}
				return &ContractVerification{r.Class, verify.Exact, domain.AmountFromUint64(r.ReceiptID), r.IssuedAt, r.KeyID, r.ReceiptDigest}
			})
		},
	}
}
