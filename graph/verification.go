package graph

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/starknet"
)

// ContractVerification is the record of a verified class.
type ContractVerification struct {
	ClassHash     starknet.Felt
	Verification  string
	ReceiptID     domain.Amount
	IssuedAt      time.Time
	KeyID         string
	ReceiptDigest string
}

// Verification returns the record of the class that the contract has now.
func (c *Contract) Verification(ctx context.Context) (*ContractVerification, error) {
	return toOne(ctx, c.peers, c, "Contract.verification", perhaps((*Contract).ClassHash), c.verifications)
}

// verifications reads the records of classes; nil stands for none.
func (p part) verifications(ctx context.Context, classes []starknet.Felt) ([]*ContractVerification, error) {
	found, err := p.h.Verifications.OfClasses(ctx, p.chain, classes)
	if err != nil {
		return nil, err
	}
	return convert(found, func(r *verify.Record) *ContractVerification {
		if r == nil {
			return nil
		}
		return &ContractVerification{r.Class, verify.Exact, domain.AmountFromUint64(r.ReceiptID), r.IssuedAt, r.KeyID, r.ReceiptDigest}
	}), nil
}
