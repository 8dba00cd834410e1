package rest

import (
	"math/big"

	"astrolabe/domain/facts"
	"astrolabe/rest/chains"
	"astrolabe/starknet"
)

// expectedEnvelope has the fields that a transaction's type and version give it.
func expectedEnvelope(tx *facts.Transaction) chains.Envelope {
	number := func(f starknet.Felt) string { return new(big.Int).SetBytes(f[:]).String() }
	list := func(felts []starknet.Felt) []starknet.Felt { return append([]starknet.Felt{}, felts...) }
	bound := func(b starknet.ResourceBound) chains.ResourceBound {
		return chains.ResourceBound{MaxAmountRaw: new(big.Int).SetUint64(uint64(b.MaxAmount)).String(), MaxPricePerUnitRaw: number(b.MaxPricePerUnit.Felt())}
	}
	sent := tx.Original()
	want := chains.Envelope{
		Signature: list(sent.Signature), PaymasterData: list(sent.PaymasterData), AccountDeploymentData: list(sent.AccountDeploymentData),
		ConstructorCalldata: list(sent.ConstructorCalldata),
	}
	if sent.Version.Number == 3 {
		want.TipRaw = new(new(big.Int).SetUint64(uint64(sent.Tip)).String())
		want.NonceDataAvailabilityMode, want.FeeDataAvailabilityMode = &sent.NonceDataAvailabilityMode, &sent.FeeDataAvailabilityMode
		want.ResourceBounds = &chains.ResourceBounds{
			L1Gas: bound(sent.ResourceBounds.L1Gas), L1DataGas: new(bound(sent.ResourceBounds.L1DataGas)), L2Gas: bound(sent.ResourceBounds.L2Gas),
		}
	} else if sent.Type != starknet.L1Handler && sent.Type != starknet.Deploy {
		want.MaxFeeRaw = new(number(sent.MaxFee))
	}
	switch sent.Type {
	case starknet.Declare:
		want.ClassHash = &sent.ClassHash
		if sent.Version.Number >= 2 {
			want.CompiledClassHash = &sent.CompiledClassHash
		}
	case starknet.Deploy, starknet.DeployAccount:
		want.ClassHash, want.ContractAddressSalt, want.ContractAddress = &sent.ClassHash, &sent.ContractAddressSalt, new(sent.DeployedAddress())
	case starknet.L1Handler:
		want.EntryPointSelector = &sent.EntryPointSelector
	case starknet.Invoke:
		if sent.Version.Number == 0 {
			want.EntryPointSelector = &sent.EntryPointSelector
		}
	}
	return want
}
