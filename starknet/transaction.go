package starknet

import (
	"errors"
	"fmt"
)

// TransactionType is the type of a transaction, as the node names it.
type TransactionType string

// The kinds of transaction. DEPLOY no longer occurs in new blocks.
const (
	Invoke        TransactionType = "INVOKE"
	Declare       TransactionType = "DECLARE"
	Deploy        TransactionType = "DEPLOY"
	DeployAccount TransactionType = "DEPLOY_ACCOUNT"
	L1Handler     TransactionType = "L1_HANDLER"
)

// ErrUnknownTransaction reports a combination of type and version that does not exist.
var ErrUnknownTransaction = errors.New("unknown transaction type and version")

// Transaction is a transaction of any type and version, with the node's field
// names. Type and Version determine which fields are used; the others are zero
// and are not written.
type Transaction struct {
	// Hash is set if the node sends the hash with the fields. In a block with
	// receipts it is in the receipt instead.
	Hash    Felt            `json:"transaction_hash"`
	Type    TransactionType `json:"type"`
	Version Version         `json:"version"`

	SenderAddress      Felt   `json:"sender_address"`
	ContractAddress    Felt   `json:"contract_address"`
	EntryPointSelector Felt   `json:"entry_point_selector"`
	Calldata           []Felt `json:"calldata"`
	Nonce              Felt   `json:"nonce"`
	MaxFee             Felt   `json:"max_fee"`
	Signature          []Felt `json:"signature"`

	ClassHash           Felt   `json:"class_hash"`
	CompiledClassHash   Felt   `json:"compiled_class_hash"`
	ContractAddressSalt Felt   `json:"contract_address_salt"`
	ConstructorCalldata []Felt `json:"constructor_calldata"`

	ResourceBounds            ResourceBounds   `json:"resource_bounds"`
	Tip                       HexUint64        `json:"tip"`
	PaymasterData             []Felt           `json:"paymaster_data"`
	AccountDeploymentData     []Felt           `json:"account_deployment_data"`
	NonceDataAvailabilityMode DataAvailability `json:"nonce_data_availability_mode"`
	FeeDataAvailabilityMode   DataAvailability `json:"fee_data_availability_mode"`
	ProofFacts                []Felt           `json:"proof_facts"`
}

// ResourceBounds are the most that a version 3 transaction may spend.
type ResourceBounds struct {
	L1Gas     ResourceBound `json:"l1_gas"`
	L1DataGas ResourceBound `json:"l1_data_gas"`
	L2Gas     ResourceBound `json:"l2_gas"`
}

// ResourceBound limits one resource by amount and by price in FRI.
type ResourceBound struct {
	MaxAmount       HexUint64 `json:"max_amount"`
	MaxPricePerUnit Uint128   `json:"max_price_per_unit"`
}

// DataAvailability is where a transaction's nonce or fee data is published.
type DataAvailability uint8

// The data availability modes. Only L1 is in use on chain.
const (
	AvailableOnL1 DataAvailability = 0
	AvailableOnL2 DataAvailability = 1
)

// String returns L1 or L2.
func (d DataAvailability) String() string {
	if d == AvailableOnL2 {
		return "L2"
	}
	return "L1"
}

// MarshalText implements encoding.TextMarshaler.
func (d DataAvailability) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText accepts L1 and L2.
func (d *DataAvailability) UnmarshalText(text []byte) error {
	switch string(text) {
	case "L1":
		*d = AvailableOnL1
	case "L2":
		*d = AvailableOnL2
	default:
		return fmt.Errorf("unknown data availability mode %.20q", text)
	}
	return nil
}

// From returns the account that pays: the sender, or the account being
// deployed. L1 handlers, deploys and version 0 invokes have none; then it
// returns false.
func (t *Transaction) From() (Felt, bool) {
	switch {
	case t.Type == DeployAccount:
		return t.DeployedAddress(), true
	case t.Type == Declare, t.Type == Invoke && t.Version.Number > 0:
		return t.SenderAddress, true
	}
	return Felt{}, false
}

// HasNonce reports whether transactions of this type and version carry a nonce.
func (t *Transaction) HasNonce() bool {
	return t.Type == L1Handler || t.Type != Deploy && t.Version.Number > 0
}

// DeployedAddress returns the address that a deploy or deploy-account transaction creates.
func (t *Transaction) DeployedAddress() Felt {
	return ContractAddress(Felt{}, t.ContractAddressSalt, t.ClassHash, t.ConstructorCalldata)
}
