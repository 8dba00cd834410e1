package gateway

import (
	"encoding/json"

	"astrolabe/strictjson"
)

// The limits of the targets of a storage proof. MaxProofTargets is the maximum
// number of class hashes, contract addresses and storage keys together.
const (
	MaxProofTargets = 32
	MaxProofLists   = 8  // class hashes, contract addresses, and contracts with storage keys, each
	MaxProofKeys    = 16 // storage keys of one contract
)

// proofParams are the parameters of starknet_getStorageProof that name targets.
type proofParams struct {
	Block     strictjson.Raw    `json:"block_id,omitempty"`
	Classes   *[]strictjson.Raw `json:"class_hashes"`
	Contracts *[]strictjson.Raw `json:"contract_addresses"`
	Storage   *[]proofContract  `json:"contracts_storage_keys"`
}

type proofContract struct {
	Contract strictjson.Raw   `json:"contract_address"`
	Keys     []strictjson.Raw `json:"storage_keys"`
}

// maxProofParams bounds what is decoded to count the targets: MaxProofTargets of
// them take a small part of it.
const maxProofParams = 64 << 10

// checkProof refuses a storage proof with too many targets, and params in which
// they cannot be counted.
func checkProof(params json.RawMessage) *Error {
	if len(params) > maxProofParams {
		return invalid(InvalidParams, ReasonParams, "The params have %d bytes. The limit for a storage proof is %d.", len(params), maxProofParams)
	}
	p, err := decodeProof(params)
	if err != nil {
		return invalid(InvalidParams, ReasonParams, "The params are invalid: %s.", err)
	}
	classes, contracts, storage, keys := len(given(p.Classes)), len(given(p.Contracts)), given(p.Storage), 0
	for _, c := range storage {
		if len(c.Keys) > MaxProofKeys {
			return tooManyTargets("storage keys of one contract", len(c.Keys), MaxProofKeys)
		}
		keys += len(c.Keys)
	}
	targets := classes + contracts + keys
	switch {
	case classes > MaxProofLists:
		return tooManyTargets("class hashes", classes, MaxProofLists)
	case contracts > MaxProofLists:
		return tooManyTargets("contract addresses", contracts, MaxProofLists)
	case len(storage) > MaxProofLists:
		return tooManyTargets("contracts with storage keys", len(storage), MaxProofLists)
	case targets > MaxProofTargets:
		return tooManyTargets("class hashes, contract addresses and storage keys together", targets, MaxProofTargets)
	}
	return nil
}

func tooManyTargets(what string, got, limit int) *Error {
	return invalid(InvalidParams, ReasonParams, "The storage proof has too many %s: %d. The limit is %d.", what, got, limit)
}

// given returns a list that may be null or absent.
func given[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return *list
}

// decodeProof reads params by name or by position.
func decodeProof(params json.RawMessage) (p proofParams, err error) {
	if len(params) == 0 || params[0] != '[' {
		if len(params) > 0 {
			err = strictjson.Decode(params, &p)
		}
		return p, err
	}
	values, count, err := strictjson.Elements(params, 4)
	if err != nil {
		return p, err
	}
	if count > 4 {
		return p, &strictjson.Error{Kind: strictjson.TypeMismatch, Message: "expected at most 4 values"}
	}
	for i, target := range []any{&p.Block, &p.Classes, &p.Contracts, &p.Storage}[:len(values)] {
		if err := strictjson.Decode(values[i], target); err != nil {
			return p, err
		}
	}
	return p, nil
}
