package gateway

import (
	"encoding/json"

	"astrolabe/strictjson"
)

// MaxProofTargets is the maximum number of class hashes, contract addresses and
// storage keys of a storage proof together.
const MaxProofTargets = 32

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
	targets := 0
	if p.Classes != nil {
		targets += len(*p.Classes)
	}
	if p.Contracts != nil {
		targets += len(*p.Contracts)
	}
	if p.Storage != nil {
		for _, c := range *p.Storage {
			targets += max(len(c.Keys), 1)
		}
	}
	if targets > MaxProofTargets {
		return invalid(InvalidParams, ReasonParams, "The request has %d proof targets. The limit for class hashes, contract addresses and storage keys together is %d.", targets, MaxProofTargets)
	}
	return nil
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
