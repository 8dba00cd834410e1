package starknet

// MessageToL1 is a message that a transaction sent to an L1 contract.
type MessageToL1 struct {
	FromAddress Felt   `json:"from_address"`
	ToAddress   Felt   `json:"to_address"`
	Payload     []Felt `json:"payload"`
}

// Hash returns the hash under which the message is consumed on L1. It contains no nonce,
// so equal messages have equal hashes.
func (m *MessageToL1) Hash() Hash256 {
	b := make([]byte, 0, 32*(3+len(m.Payload)))
	b = appendWords(b, m.FromAddress, m.ToAddress, FeltFromUint64(uint64(len(m.Payload))))
	return Keccak256(appendWords(b, m.Payload...))
}

// MessageFromL1 is the message that an L1 handler transaction executes.
type MessageFromL1 struct {
	FromAddress Felt
	ToAddress   Felt
	Selector    Felt
	Nonce       Felt
	Payload     []Felt
}

// L1Message returns the message that an L1 handler transaction carries: its
// first calldata element is the L1 sender, the rest the payload. It returns
// false for other transactions and for an L1 handler without calldata.
func (t *Transaction) L1Message() (MessageFromL1, bool) {
	if t.Type != L1Handler || len(t.Calldata) == 0 {
		return MessageFromL1{}, false
	}
	return MessageFromL1{t.Calldata[0], t.ContractAddress, t.EntryPointSelector, t.Nonce, t.Calldata[1:]}, true
}

// Hash returns the message's hash on L1.
func (m *MessageFromL1) Hash() Hash256 {
	b := make([]byte, 0, 32*(5+len(m.Payload)))
	b = appendWords(b, m.FromAddress, m.ToAddress, m.Nonce, m.Selector, FeltFromUint64(uint64(len(m.Payload))))
	return Keccak256(appendWords(b, m.Payload...))
}

// HashWithoutNonce returns the hash of a message from the time before messages had a
// nonce. The length then counted the sender too.
func (m *MessageFromL1) HashWithoutNonce() Hash256 {
	b := make([]byte, 0, 32*(4+len(m.Payload)))
	b = appendWords(b, m.FromAddress, m.ToAddress, FeltFromUint64(uint64(len(m.Payload)+1)), m.Selector)
	return Keccak256(appendWords(b, m.Payload...))
}

func appendWords(b []byte, felts ...Felt) []byte {
	for i := range felts {
		b = append(b, felts[i][:]...)
	}
	return b
}
