package prover

import (
	"encoding/json"
	"fmt"

	"astrolabe/starknet"
)

// params are the parameters of starknet_proveTransaction, by name.
type params struct {
	BlockID     json.RawMessage `json:"block_id"`
	Transaction json.RawMessage `json:"transaction"`
}

// transaction is what the prover checks of a transaction.
type transaction struct {
	Type           string           `json:"type"`
	Version        string           `json:"version"`
	SenderAddress  *starknet.Felt   `json:"sender_address"`
	Calldata       []starknet.Felt  `json:"calldata"`
	Tip            *starknet.Felt   `json:"tip"`
	PaymasterData  []starknet.Felt  `json:"paymaster_data"`
	ResourceBounds map[string]bound `json:"resource_bounds"`
	Proof          json.RawMessage  `json:"proof"`
	ProofFacts     json.RawMessage  `json:"proof_facts"`
}

type bound struct {
	MaxAmount       starknet.Felt `json:"max_amount"`
	MaxPricePerUnit starknet.Felt `json:"max_price_per_unit"`
}

// rule decides on a request for which no reply is queued. It returns the number
// of its block.
func (p *Prover) rule(q params) (Reply, uint64) {
	block, known := p.block(q.BlockID)
	if !known {
		return Replies["24"], 0
	}
	var t transaction
	if json.Unmarshal(q.Transaction, &t) != nil {
		return Fail(1000, "Invalid transaction input", "transaction: malformed."), 0
	}
	if name, ok := t.wish(); ok {
		if reply, known := Replies[name]; known {
			return reply, block
		}
	}
	return t.check(), block
}

// wish is the short string at the beginning of paymaster_data.
func (t *transaction) wish() (string, bool) {
	if len(t.PaymasterData) == 0 {
		return "", false
	}
	return t.PaymasterData[0].ShortString()
}

// check refuses what a real prover refuses before it executes a transaction.
func (t *transaction) check() Reply {
	refuse := func(format string, args ...any) Reply {
		return Fail(1000, "Invalid transaction input", fmt.Sprintf(format, args...))
	}
	switch {
	case t.Type != string(starknet.Invoke):
		return Replies["1001"]
	case t.Version != "0x3":
		return Replies["61"]
	case t.SenderAddress == nil || t.Calldata == nil || t.Tip == nil:
		return refuse("sender_address, calldata and tip are required.")
	case *t.Tip != starknet.Felt{}:
		return refuse("tip: must be 0x0.")
	case t.Proof != nil || t.ProofFacts != nil:
		return refuse("proof and proof_facts: must be absent.")
	case t.ResourceBounds["l2_gas"].MaxAmount == starknet.Felt{}:
		return refuse("resource_bounds.l2_gas.max_amount: must not be 0x0.")
	}
	for _, name := range []string{"l1_gas", "l2_gas", "l1_data_gas"} {
		if (t.ResourceBounds[name].MaxPricePerUnit != starknet.Felt{}) {
			return refuse("resource_bounds.%s.max_price_per_unit: must be 0x0.", name)
		}
	}
	return Succeed()
}

// block reads a block ID: a number, a hash or latest.
func (p *Prover) block(id json.RawMessage) (number uint64, known bool) {
	var named struct {
		Number *uint64        `json:"block_number"`
		Hash   *starknet.Felt `json:"block_hash"`
	}
	var tag string
	head := p.head()
	switch {
	case json.Unmarshal(id, &tag) == nil:
		return head, tag == "latest"
	case json.Unmarshal(id, &named) != nil:
		return 0, false
	case named.Number != nil:
		return *named.Number, *named.Number <= head
	}
	return head, named.Hash != nil
}
