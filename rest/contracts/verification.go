package contracts

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/verify"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// ContractVerificationBody is the public record of a verification.
type ContractVerificationBody struct {
	ChainID       domain.Chain  `json:"chainId"`
	Address       starknet.Felt `json:"address"`
	ClassHash     starknet.Felt `json:"classHash"`
	Verification  string        `json:"verification"`
	ReceiptID     uint64        `json:"receiptId"`
	IssuedAt      time.Time     `json:"issuedAt"`
	KeyID         string        `json:"keyId"`
	ReceiptDigest string        `json:"receiptDigest"`
}

func (h Handlers) contractVerification(ctx context.Context, c *frame.Call) (any, error) {
	address := c.Felt("address")
	record, err := h.Verifications.OfContract(ctx, c.Chain, address)
	if err != nil {
		return nil, err
	}
	return ContractVerificationBody{
		c.Chain, address, record.Class, verify.Exact, record.ReceiptID, record.IssuedAt, record.KeyID, record.ReceiptDigest,
	}, nil
}

// VerificationOperations are the routes of verification records.
func (h Handlers) VerificationOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "getContractVerification", Method: http.MethodGet, Path: "/v1/{chain}/contract/{address}/verification",
			Summary: "Get the verification record of a contract's current class.",
			Params:  []frame.Param{frame.ChainParam, frame.ContractParam}, Permission: account.Read,
			Class: frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 2 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "ContractVerification", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestAVerifiedClassShowsItsNewestRecord", "TestAContractWithoutARecordIsNotFound"},
			Handle: h.contractVerification,
		},
	}
}
