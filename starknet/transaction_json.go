package starknet

import (
	"fmt"
	"strconv"
)

// transactionShape selects the fields that a transaction is written with.
type transactionShape struct {
	kind    TransactionType
	version uint64
}

// transactionField is one field of the node's transaction object.
type transactionField struct {
	name  string
	value func(b []byte, t *Transaction) []byte
	copy  func(to, from *Transaction)
}

var (
	fieldSender       = feltField("sender_address", func(t *Transaction) *Felt { return &t.SenderAddress })
	fieldContract     = feltField("contract_address", func(t *Transaction) *Felt { return &t.ContractAddress })
	fieldSelector     = feltField("entry_point_selector", func(t *Transaction) *Felt { return &t.EntryPointSelector })
	fieldNonce        = feltField("nonce", func(t *Transaction) *Felt { return &t.Nonce })
	fieldMaxFee       = feltField("max_fee", func(t *Transaction) *Felt { return &t.MaxFee })
	fieldClassHash    = feltField("class_hash", func(t *Transaction) *Felt { return &t.ClassHash })
	fieldCompiled     = feltField("compiled_class_hash", func(t *Transaction) *Felt { return &t.CompiledClassHash })
	fieldSalt         = feltField("contract_address_salt", func(t *Transaction) *Felt { return &t.ContractAddressSalt })
	fieldTip          = transactionField{"tip", appendTip, func(to, from *Transaction) { to.Tip = from.Tip }}
	fieldCalldata     = feltsField("calldata", func(t *Transaction) *[]Felt { return &t.Calldata })
	fieldSignature    = feltsField("signature", func(t *Transaction) *[]Felt { return &t.Signature })
	fieldConstructor  = feltsField("constructor_calldata", func(t *Transaction) *[]Felt { return &t.ConstructorCalldata })
	fieldPaymaster    = feltsField("paymaster_data", func(t *Transaction) *[]Felt { return &t.PaymasterData })
	fieldDeployment   = feltsField("account_deployment_data", func(t *Transaction) *[]Felt { return &t.AccountDeploymentData })
	fieldProofFacts   = feltsField("proof_facts", func(t *Transaction) *[]Felt { return &t.ProofFacts })
	fieldBounds       = transactionField{"resource_bounds", appendResourceBounds, func(to, from *Transaction) { to.ResourceBounds = from.ResourceBounds }}
	fieldNonceDA      = modeField("nonce_data_availability_mode", func(t *Transaction) *DataAvailability { return &t.NonceDataAvailabilityMode })
	fieldFeeDA        = modeField("fee_data_availability_mode", func(t *Transaction) *DataAvailability { return &t.FeeDataAvailabilityMode })
	version3Fields    = []transactionField{fieldSignature, fieldNonce, fieldBounds, fieldTip, fieldPaymaster, fieldNonceDA, fieldFeeDA}
	transactionFields = map[transactionShape][]transactionField{
		{Invoke, 0}:        {fieldMaxFee, fieldSignature, fieldContract, fieldSelector, fieldCalldata},
		{Invoke, 1}:        {fieldSender, fieldCalldata, fieldMaxFee, fieldSignature, fieldNonce},
		{Invoke, 3}:        version3(fieldSender, fieldCalldata, fieldDeployment),
		{Declare, 0}:       {fieldSender, fieldMaxFee, fieldSignature, fieldClassHash},
		{Declare, 1}:       {fieldSender, fieldMaxFee, fieldSignature, fieldNonce, fieldClassHash},
		{Declare, 2}:       {fieldSender, fieldCompiled, fieldMaxFee, fieldSignature, fieldNonce, fieldClassHash},
		{Declare, 3}:       version3(fieldSender, fieldCompiled, fieldClassHash, fieldDeployment),
		{Deploy, 0}:        {fieldSalt, fieldConstructor, fieldClassHash},
		{Deploy, 1}:        {fieldSalt, fieldConstructor, fieldClassHash},
		{DeployAccount, 1}: {fieldMaxFee, fieldSignature, fieldNonce, fieldSalt, fieldConstructor, fieldClassHash},
		{DeployAccount, 3}: version3(fieldSalt, fieldConstructor, fieldClassHash),
		{L1Handler, 0}:     {fieldNonce, fieldContract, fieldSelector, fieldCalldata},
	}
)

func version3(own ...transactionField) []transactionField { return append(own, version3Fields...) }

// AppendJSON appends the node's object for t: exactly the fields of its type and version,
// the hash when it is set and the proof facts when there are any. It returns
// ErrUnknownTransaction for a combination that does not exist.
func (t *Transaction) AppendJSON(b []byte) ([]byte, error) {
	fields, ok := transactionFields[transactionShape{t.Type, t.Version.Number}]
	if !ok {
		return b, fmt.Errorf("%w: %s %s", ErrUnknownTransaction, t.Type, t.Version)
	}
	b = append(b, `{"type":`...)
	b = strconv.AppendQuote(b, string(t.Type))
	b = append(b, `,"version":`...)
	b = t.Version.Felt().AppendJSON(b)
	if !t.Hash.IsZero() {
		b = append(b, `,"transaction_hash":`...)
		b = t.Hash.AppendJSON(b)
	}
	for _, f := range fields {
		b = f.append(b, t)
	}
	if t.hasProofFacts() {
		b = fieldProofFacts.append(b, t)
	}
	return append(b, '}'), nil
}

// hasProofFacts reports whether t has proof facts, which only invokes of version 3
// can have.
func (t *Transaction) hasProofFacts() bool {
	return t.Type == Invoke && t.Version.Number == 3 && len(t.ProofFacts) > 0
}

// DropForeignFields sets the fields to zero that transactions of this type and
// version do not have. No hash covers them. A combination that does not exist keeps
// only its hash.
func (t *Transaction) DropForeignFields() {
	own := Transaction{Hash: t.Hash, Type: t.Type, Version: t.Version}
	for _, f := range transactionFields[transactionShape{t.Type, t.Version.Number}] {
		f.copy(&own, t)
	}
	if t.hasProofFacts() {
		own.ProofFacts = t.ProofFacts
	}
	*t = own
}

// MarshalJSON implements json.Marshaler by AppendJSON.
func (t Transaction) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil) }

func (f transactionField) append(b []byte, t *Transaction) []byte {
	b = append(b, `,"`...)
	b = append(b, f.name...)
	b = append(b, `":`...)
	return f.value(b, t)
}

func feltField(name string, of func(*Transaction) *Felt) transactionField {
	return transactionField{
		name,
		func(b []byte, t *Transaction) []byte { return of(t).AppendJSON(b) },
		func(to, from *Transaction) { *of(to) = *of(from) },
	}
}

func feltsField(name string, of func(*Transaction) *[]Felt) transactionField {
	return transactionField{
		name,
		func(b []byte, t *Transaction) []byte { return AppendFeltsJSON(b, *of(t)) },
		func(to, from *Transaction) { *of(to) = *of(from) },
	}
}

func modeField(name string, of func(*Transaction) *DataAvailability) transactionField {
	return transactionField{
		name,
		func(b []byte, t *Transaction) []byte { return strconv.AppendQuote(b, of(t).String()) },
		func(to, from *Transaction) { *of(to) = *of(from) },
	}
}

func appendTip(b []byte, t *Transaction) []byte { return FeltFromUint64(uint64(t.Tip)).AppendJSON(b) }

func appendResourceBounds(b []byte, t *Transaction) []byte {
	bounds := &t.ResourceBounds
	b = appendResourceBound(append(b, `{"l1_gas":`...), bounds.L1Gas)
	b = appendResourceBound(append(b, `,"l1_data_gas":`...), bounds.L1DataGas)
	b = appendResourceBound(append(b, `,"l2_gas":`...), bounds.L2Gas)
	return append(b, '}')
}

func appendResourceBound(b []byte, bound ResourceBound) []byte {
	b = append(b, `{"max_amount":`...)
	b = FeltFromUint64(uint64(bound.MaxAmount)).AppendJSON(b)
	b = append(b, `,"max_price_per_unit":`...)
	b = bound.MaxPricePerUnit.Felt().AppendJSON(b)
	return append(b, '}')
}

// AppendFeltsJSON appends a JSON array of felts; nil becomes an empty array.
func AppendFeltsJSON(b []byte, felts []Felt) []byte {
	b = append(b, '[')
	for i, f := range felts {
		if i > 0 {
			b = append(b, ',')
		}
		b = f.AppendJSON(b)
	}
	return append(b, ']')
}
