package starknet

import "fmt"

var (
	prefixInvoke        = MustShortString("invoke")
	prefixDeclare       = MustShortString("declare")
	prefixDeploy        = MustShortString("deploy")
	prefixDeployAccount = MustShortString("deploy_account")
	prefixL1Handler     = MustShortString("l1_handler")

	selectorConstructor = Selector("constructor")
)

// ComputeHash returns the transaction's hash on the chain with that id by the
// current formula, including the query bit. It returns ErrUnknownTransaction
// for a combination of type and version that does not exist.
func (t *Transaction) ComputeHash(chainID Felt) (Felt, error) {
	switch (transactionShape{t.Type, t.Version.Number}) {
	case transactionShape{Invoke, 0}:
		return t.hashBeforeV3(chainID, prefixInvoke, t.ContractAddress, t.EntryPointSelector, PedersenMany(t.Calldata...)), nil
	case transactionShape{Invoke, 1}:
		return t.hashBeforeV3(chainID, prefixInvoke, t.SenderAddress, Felt{}, PedersenMany(t.Calldata...), t.Nonce), nil
	case transactionShape{Declare, 0}:
		return t.hashBeforeV3(chainID, prefixDeclare, t.SenderAddress, Felt{}, PedersenMany(), t.ClassHash), nil
	case transactionShape{Declare, 1}:
		return t.hashBeforeV3(chainID, prefixDeclare, t.SenderAddress, Felt{}, PedersenMany(t.ClassHash), t.Nonce), nil
	case transactionShape{Declare, 2}:
		return t.hashBeforeV3(chainID, prefixDeclare, t.SenderAddress, Felt{}, PedersenMany(t.ClassHash), t.Nonce, t.CompiledClassHash), nil
	case transactionShape{Deploy, 0}, transactionShape{Deploy, 1}:
		return t.hashBeforeV3(chainID, prefixDeploy, t.DeployedAddress(), selectorConstructor, PedersenMany(t.ConstructorCalldata...)), nil
	case transactionShape{DeployAccount, 1}:
		calldata := append([]Felt{t.ClassHash, t.ContractAddressSalt}, t.ConstructorCalldata...)
		return t.hashBeforeV3(chainID, prefixDeployAccount, t.DeployedAddress(), Felt{}, PedersenMany(calldata...), t.Nonce), nil
	case transactionShape{L1Handler, 0}:
		return t.hashBeforeV3(chainID, prefixL1Handler, t.ContractAddress, t.EntryPointSelector, PedersenMany(t.Calldata...), t.Nonce), nil
	case transactionShape{Invoke, 3}, transactionShape{Declare, 3}, transactionShape{DeployAccount, 3}:
		return t.hashV3(chainID, true), nil
	}
	return Felt{}, fmt.Errorf("%w: %s %s", ErrUnknownTransaction, t.Type, t.Version)
}

// HasHash reports whether hash is the transaction's hash on the chain with that
// id, by the current formula or by one that was in force when such transactions
// were executed.
func (t *Transaction) HasHash(chainID, hash Felt) bool {
	if today, err := t.ComputeHash(chainID); err != nil || today == hash {
		return err == nil
	}
	switch {
	case t.Type == Invoke && t.Version.Number == 0:
		return hash == hashBeforeVersions(chainID, prefixInvoke, t.ContractAddress, t.EntryPointSelector, t.Calldata)
	case t.Type == Deploy:
		return hash == hashBeforeVersions(chainID, prefixDeploy, t.DeployedAddress(), selectorConstructor, t.ConstructorCalldata)
	case t.Type == L1Handler:
		// The first L1 handlers were hashed as invokes; the next ones, in Starknet 0.7,
		// under their own name and with a nonce, but without version and fee.
		return hash == hashBeforeVersions(chainID, prefixInvoke, t.ContractAddress, t.EntryPointSelector, t.Calldata) ||
			hash == hashBeforeVersions(chainID, prefixL1Handler, t.ContractAddress, t.EntryPointSelector, t.Calldata, t.Nonce)
	case t.Version.Number == 3 && t.ResourceBounds.L1DataGas == ResourceBound{}:
		// Before Starknet 0.13.4 there was no bound for L1 data gas; the node shows zeros.
		return hash == t.hashV3(chainID, false)
	}
	return false
}

func (t *Transaction) hashBeforeV3(chainID, prefix, address, selector, calldataHash Felt, rest ...Felt) Felt {
	felts := append(make([]Felt, 0, 9),
		prefix, t.Version.Felt(), address, selector, calldataHash, t.MaxFee, chainID)
	return PedersenMany(append(felts, rest...)...)
}

// hashBeforeVersions is the formula from before transactions had a version and a fee.
func hashBeforeVersions(chainID, prefix, address, selector Felt, calldata []Felt, nonce ...Felt) Felt {
	felts := []Felt{prefix, address, selector, PedersenMany(calldata...), chainID}
	return PedersenMany(append(felts, nonce...)...)
}

func (t *Transaction) hashV3(chainID Felt, boundsL1Data bool) Felt {
	prefix, sender, rest := t.version3Parts()
	var h PoseidonHasher
	h.Write(prefix, t.Version.Felt(), sender, t.feeFieldsHash(boundsL1Data), PoseidonMany(t.PaymasterData...), chainID, t.Nonce)
	h.Write(FeltFromUint64(uint64(t.NonceDataAvailabilityMode)<<32 | uint64(t.FeeDataAvailabilityMode)))
	h.Write(rest...)
	if t.hasProofFacts() {
		h.Write(PoseidonMany(t.ProofFacts...))
	}
	return h.Sum()
}

// version3Parts returns the hash inputs in which the three kinds of version 3
// transaction differ.
func (t *Transaction) version3Parts() (prefix, sender Felt, rest []Felt) {
	switch t.Type {
	case Declare:
		return prefixDeclare, t.SenderAddress, []Felt{PoseidonMany(t.AccountDeploymentData...), t.ClassHash, t.CompiledClassHash}
	case DeployAccount:
		return prefixDeployAccount, t.DeployedAddress(), []Felt{PoseidonMany(t.ConstructorCalldata...), t.ClassHash, t.ContractAddressSalt}
	default:
		return prefixInvoke, t.SenderAddress, []Felt{PoseidonMany(t.AccountDeploymentData...), PoseidonMany(t.Calldata...)}
	}
}

func (t *Transaction) feeFieldsHash(boundsL1Data bool) Felt {
	var h PoseidonHasher
	h.Write(FeltFromUint64(uint64(t.Tip)), t.ResourceBounds.L1Gas.pack("L1_GAS"), t.ResourceBounds.L2Gas.pack("L2_GAS"))
	if boundsL1Data {
		h.Write(t.ResourceBounds.L1DataGas.pack("L1_DATA"))
	}
	return h.Sum()
}

// pack joins name, amount and price into one felt: 64, 64 and 128 bits.
func (r ResourceBound) pack(name string) Felt {
	packed := r.MaxPricePerUnit.Felt()
	amount := FeltFromUint64(uint64(r.MaxAmount))
	copy(packed[8:16], amount[24:])
	copy(packed[8-len(name):8], name)
	return packed
}
