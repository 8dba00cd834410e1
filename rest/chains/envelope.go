package chains

import (
	"strconv"

	"astrolabe/domain/facts"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// Envelope has the fields of a transaction body with which its sender authorised
// it and limited its fee, and those of deployments and declarations.
type Envelope struct {
	Signature                 []starknet.Felt            `json:"signature"`
	MaxFeeRaw                 *string                    `json:"maxFeeRaw"`
	TipRaw                    *string                    `json:"tipRaw"`
	ResourceBounds            *ResourceBounds            `json:"resourceBounds"`
	NonceDataAvailabilityMode *starknet.DataAvailability `json:"nonceDataAvailabilityMode"`
	FeeDataAvailabilityMode   *starknet.DataAvailability `json:"feeDataAvailabilityMode"`
	PaymasterData             []starknet.Felt            `json:"paymasterData"`
	AccountDeploymentData     []starknet.Felt            `json:"accountDeploymentData"`
	EntryPointSelector        *starknet.Felt             `json:"entryPointSelector"`
	ClassHash                 *starknet.Felt             `json:"classHash"`
	CompiledClassHash         *starknet.Felt             `json:"compiledClassHash"`
	ContractAddress           *starknet.Felt             `json:"contractAddress"`
	ContractAddressSalt       *starknet.Felt             `json:"contractAddressSalt"`
	ConstructorCalldata       []starknet.Felt            `json:"constructorCalldata"`
}

// ResourceBounds are the limits that a transaction sets for each resource.
type ResourceBounds struct {
	L1Gas     ResourceBound  `json:"l1Gas"`
	L1DataGas *ResourceBound `json:"l1DataGas"`
	L2Gas     ResourceBound  `json:"l2Gas"`
}

// ResourceBound is the limit of one resource.
type ResourceBound struct {
	MaxAmountRaw       string `json:"maxAmountRaw"`
	MaxPricePerUnitRaw string `json:"maxPricePerUnitRaw"`
}

func envelopeBody(t *facts.Transaction) Envelope {
	body := Envelope{
		Signature: frame.EmptyIfNil(t.Signature), PaymasterData: frame.EmptyIfNil(t.PaymasterData), AccountDeploymentData: frame.EmptyIfNil(t.AccountDeploymentData),
		EntryPointSelector: t.Selector, ClassHash: t.Class, CompiledClassHash: t.CompiledClass,
		ContractAddress: t.DeployedContract(), ContractAddressSalt: t.Salt, ConstructorCalldata: frame.EmptyIfNil(t.ConstructorCalldata()),
	}
	if t.MaxFee != nil {
		body.MaxFeeRaw = new(decimal(*t.MaxFee))
	}
	if terms := t.Terms; terms != nil {
		body.TipRaw = new(strconv.FormatUint(terms.Tip, 10))
		body.NonceDataAvailabilityMode, body.FeeDataAvailabilityMode = &terms.NonceMode, &terms.FeeMode
		body.ResourceBounds = &ResourceBounds{L1Gas: boundBody(terms.Bounds.L1Gas), L2Gas: boundBody(terms.Bounds.L2Gas)}
		if bound := terms.L1DataGas(); bound != nil {
			body.ResourceBounds.L1DataGas = new(boundBody(*bound))
		}
	}
	return body
}

func boundBody(b starknet.ResourceBound) ResourceBound {
	return ResourceBound{strconv.FormatUint(uint64(b.MaxAmount), 10), decimal(b.MaxPricePerUnit.Felt())}
}
