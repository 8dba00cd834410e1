package facts

import "astrolabe/starknet"

// Envelope holds the fields of a transaction that authorise it and limit its
// fee, and those that only a deployment or a declaration has. Together with the
// other fields they are everything that the transaction's hash covers, and the
// signature. A nil pointer means that the type and version have no such field.
type Envelope struct {
	Signature             []starknet.Felt
	MaxFee                *starknet.Felt // before version 3
	Terms                 *FeeTerms      // from version 3 on
	PaymasterData         []starknet.Felt
	AccountDeploymentData []starknet.Felt
	ProofFacts            []starknet.Felt
	CompiledClass         *starknet.Felt // of the class that it declares
	Salt                  *starknet.Felt // of the address that it deploys
}

// FeeTerms are the limits of a transaction of version 3, and where its data is
// published.
type FeeTerms struct {
	Bounds    starknet.ResourceBounds
	Tip       uint64
	NonceMode starknet.DataAvailability
	FeeMode   starknet.DataAvailability
}

// L1DataGas returns the bound of L1 data gas, nil if the transaction was signed
// without one: then it bounds L1 gas alone, and a node writes zeros for the two
// other resources.
func (f *FeeTerms) L1DataGas() *starknet.ResourceBound {
	if f.Bounds.L1DataGas == (starknet.ResourceBound{}) && f.Bounds.L2Gas == (starknet.ResourceBound{}) {
		return nil
	}
	return &f.Bounds.L1DataGas
}

func envelope(tx *starknet.Transaction) Envelope {
	e := Envelope{Signature: tx.Signature}
	switch {
	case tx.Version.Number >= 3:
		e.Terms = &FeeTerms{tx.ResourceBounds, uint64(tx.Tip), tx.NonceDataAvailabilityMode, tx.FeeDataAvailabilityMode}
		e.PaymasterData, e.AccountDeploymentData = tx.PaymasterData, tx.AccountDeploymentData
	case tx.Type != starknet.Deploy && tx.Type != starknet.L1Handler:
		e.MaxFee = &tx.MaxFee
	}
	switch tx.Type {
	case starknet.Invoke:
		e.ProofFacts = tx.ProofFacts
	case starknet.Declare:
		if tx.Version.Number >= 2 {
			e.CompiledClass = &tx.CompiledClassHash
		}
	case starknet.Deploy, starknet.DeployAccount:
		e.Salt = &tx.ContractAddressSalt
	}
	return e
}

// Original returns the transaction as its sender made it. Its hash, by
// starknet.Transaction.HasHash, is that of t.
func (t *Transaction) Original() starknet.Transaction {
	tx := starknet.Transaction{
		Type: t.Type, Version: starknet.Version{Number: t.Version},
		Nonce: valueOf(t.Nonce), EntryPointSelector: valueOf(t.Selector), Signature: t.Signature, MaxFee: valueOf(t.MaxFee),
		ClassHash: valueOf(t.Class), CompiledClassHash: valueOf(t.CompiledClass), ContractAddressSalt: valueOf(t.Salt),
		PaymasterData: t.PaymasterData, AccountDeploymentData: t.AccountDeploymentData, ProofFacts: t.ProofFacts,
	}
	if t.Terms != nil {
		tx.ResourceBounds, tx.Tip = t.Terms.Bounds, starknet.HexUint64(t.Terms.Tip)
		tx.NonceDataAvailabilityMode, tx.FeeDataAvailabilityMode = t.Terms.NonceMode, t.Terms.FeeMode
	}
	switch {
	case t.Deploys():
		tx.ConstructorCalldata = t.Calldata
	case t.Sender != nil:
		tx.SenderAddress, tx.Calldata = *t.Sender, t.Calldata
	default:
		tx.ContractAddress, tx.Calldata = valueOf(t.Contract), t.Calldata
	}
	return tx
}

// Deploys reports whether the transaction itself deploys a contract. Then its
// calldata is the constructor's.
func (t *Transaction) Deploys() bool {
	return t.Type == starknet.Deploy || t.Type == starknet.DeployAccount
}

// DeployedContract returns the contract that the transaction itself deploys, nil
// if it deploys none.
func (t *Transaction) DeployedContract() *starknet.Felt {
	if !t.Deploys() {
		return nil
	}
	return t.Contract
}

// ConstructorCalldata returns the calldata of the contract that the transaction
// itself deploys.
func (t *Transaction) ConstructorCalldata() []starknet.Felt {
	if !t.Deploys() {
		return nil
	}
	return t.Calldata
}

// Felts returns the number of felts in the transaction's lists.
func (t *Transaction) Felts() int {
	return len(t.Calldata) + len(t.Signature) + len(t.PaymasterData) + len(t.AccountDeploymentData) + len(t.ProofFacts)
}

// valueOf returns zero for an absent felt.
func valueOf(f *starknet.Felt) starknet.Felt {
	if f == nil {
		return starknet.Felt{}
	}
	return *f
}

func (e *Envelope) columns(s sink) {
	s.felts("signature", e.Signature)
	s.feltIf("max_fee", e.MaxFee)
	if s.flag("fee_terms", e.Terms != nil); e.Terms != nil {
		e.Terms.columns(s)
	}
	s.felts("paymaster_data", e.PaymasterData)
	s.felts("account_deployment_data", e.AccountDeploymentData)
	s.felts("proof_facts", e.ProofFacts)
	s.feltIf("compiled_class", e.CompiledClass)
	s.feltIf("salt", e.Salt)
}

func (f *FeeTerms) columns(s sink) {
	for _, bound := range []struct {
		of string
		starknet.ResourceBound
	}{{"l1_gas", f.Bounds.L1Gas}, {"l1_data_gas", f.Bounds.L1DataGas}, {"l2_gas", f.Bounds.L2Gas}} {
		s.number("max_"+bound.of, uint64(bound.MaxAmount))
		s.felt("max_"+bound.of+"_price", bound.MaxPricePerUnit.Felt())
	}
	s.number("tip", f.Tip)
	s.number("nonce_mode", uint64(f.NonceMode))
	s.number("fee_mode", uint64(f.FeeMode))
}
