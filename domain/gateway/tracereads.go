package gateway

import "astrolabe/starknet"

// initialReads is the state that the transactions of a block read, which a
// trace holds on request. It may be empty.
type initialReads struct {
	Storage []struct {
		Contract checkedFelt   `json:"contract_address"`
		Key      starknet.Felt `json:"key"` // may be padded
		Value    checkedFelt   `json:"value"`
	} `json:"storage,omitempty"`
	Nonces []struct {
		Contract checkedFelt `json:"contract_address"`
		Nonce    checkedFelt `json:"nonce"`
	} `json:"nonces,omitempty"`
	Classes []struct {
		Contract checkedFelt `json:"contract_address"`
		Class    checkedFelt `json:"class_hash"`
	} `json:"class_hashes,omitempty"`
	Declared []struct {
		Class    checkedFelt `json:"class_hash"`
		Declared bool        `json:"is_declared"`
	} `json:"declared_contracts,omitempty"`
}
