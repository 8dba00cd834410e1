package starknet

import "encoding/json"

// BroadcastedTransaction is a transaction as a wallet sends it to a node: it
// may have a proof, and a declaration contains the class itself.
type BroadcastedTransaction struct {
	Transaction Transaction
	Proof       string
	Class       *SierraClass
}

// UnmarshalJSON reads the node's form. For a declaration it computes the class hash,
// which is not sent but is part of the transaction's hash.
func (b *BroadcastedTransaction) UnmarshalJSON(data []byte) error {
	*b = BroadcastedTransaction{}
	if err := json.Unmarshal(data, &b.Transaction); err != nil {
		return err
	}
	var extra struct {
		Proof string       `json:"proof"`
		Class *SierraClass `json:"contract_class"`
	}
	if err := json.Unmarshal(data, &extra); err != nil {
		return err
	}
	b.Proof, b.Class = extra.Proof, extra.Class
	if b.Class != nil {
		b.Transaction.ClassHash = b.Class.Hash()
	}
	return nil
}
