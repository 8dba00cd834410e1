package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/verify"
	"astrolabe/starknet"
)

// contractVerificationBody is the public record of a verification.
type contractVerificationBody struct {
	ChainID       domain.Chain  `json:"chainId"`
	Address       starknet.Felt `json:"address"`
	ClassHash     starknet.Felt `json:"classHash"`
	Verification  string        `json:"verification"`
	ReceiptID     uint64        `json:"receiptId"`
	IssuedAt      time.Time     `json:"issuedAt"`
	KeyID         string        `json:"keyId"`
	ReceiptDigest string        `json:"receiptDigest"`
}

func (s *server) contractVerification(ctx context.Context, c *Call) (any, error) {
	address := c.Felt("address")
	record, err := s.Verifications.OfContract(ctx, c.Chain, address)
	if err != nil {
		return nil, err
	}
	return contractVerificationBody{
		c.Chain, address, record.Class, verify.Exact, record.ReceiptID, record.IssuedAt, record.KeyID, record.ReceiptDigest,
	}, nil
}

func (s *server) contractVerificationOperations() []Operation {
	return []Operation{
		{
			ID: "getContractVerification", Method: http.MethodGet, Path: "/v1/{chain}/contract/{address}/verification",
			Summary: "The verification record of the class that a contract has now",
			Params:  []Param{chainParam, contractParam}, Permission: account.Read,
			Class: Light, Cert: Beta, Audience: External, Budget: 2 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "ContractVerification", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestAVerifiedClassShowsItsNewestRecord", "TestAContractWithoutARecordIsNotFound"},
			Handle: s.contractVerification,
		},
	}
}
