package index

import (
	"cmp"

	"astrolabe/domain/facts"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// The columns of the partitioned tables and of locators, in the order of the fields
// of a row.
const (
	blockColumns       = "block, chain, l1_da_mode, timestamp, tx_count, event_count, hash, parent_hash, state_root, sequencer, prices, version, verification, base_digest"
	transactionColumns = "block, tx, chain, sender, contract, selector, type, version, reverted, fee_in_fri, signature_len, l1_gas, l1_data_gas, l2_gas, fee, nonce, hash, class, calldata, revert_reason, envelope"
	eventColumns       = "block, tx, log, address, selector, chain, keys, payload"
	messageColumns     = "block, tx, idx, chain, to_l1, contract, selector, nonce, hash, l1_address, payload"
	transferColumns    = "block, tx, log, idx, standard, token, sender, receiver, chain, amount, token_id"
	activityColumns    = "address, block, tx, kinds, items, chain"
	locatorColumns     = "tag, block, tx, kind, chain"
)

func (w *batchWriter) block(r *copyRows, b *facts.Block) {
	h, digest := &b.Header, facts.BaseDigest(b)
	r.row(14)
	r.block(h.Number)
	r.int2(w.code)
	enum(r, model.L1DAMode(h.L1DAMode))
	r.int8(int64(h.Timestamp))
	r.int4(int32(h.Transactions))
	r.int4(int32(h.Events))
	r.bytes(h.Hash[:])
	r.bytes(h.ParentHash[:])
	r.bytes(h.StateRoot[:])
	r.bytes(h.Sequencer[:])
	r.felts([]starknet.Felt{
		h.L1Gas.PriceInWei, h.L1Gas.PriceInFri, h.L1DataGas.PriceInWei,
		h.L1DataGas.PriceInFri, h.L2Gas.PriceInWei, h.L2Gas.PriceInFri,
	})
	r.text(h.Version)
	enum(r, model.BlockVerification(cmp.Or(h.Verification, facts.Unverified)))
	r.bytes(digest[:])
}

func (w *batchWriter) transaction(r *copyRows, block uint64, t *facts.Transaction) {
	r.row(21)
	r.block(block)
	r.int2(t.Index)
	r.int2(w.code)
	w.named(r, w.addresses, t.Sender)
	w.named(r, w.addresses, t.Contract)
	w.named(r, w.selectors, t.Selector)
	enum(r, model.TransactionType(t.Type))
	r.int2(int(t.Version))
	r.bool(t.Reverted)
	r.bool(t.FeeUnit == starknet.Fri)
	r.int2(len(t.Signature))
	r.int8(int64(t.Resources.L1Gas))
	r.int8(int64(t.Resources.L1DataGas))
	r.int8(int64(t.Resources.L2Gas))
	r.number((*[32]byte)(&t.Fee))
	r.number((*[32]byte)(t.Nonce))
	r.bytes(t.Hash[:])
	r.felt(t.Class)
	r.felts(t.Calldata)
	r.textOrNull(t.RevertReason)
	r.envelope((*model.Envelope)(&t.Envelope))
}

func (w *batchWriter) event(r *copyRows, block uint64, e *facts.Event) {
	r.row(8)
	r.block(block)
	r.int2(e.TxIndex)
	r.int2(e.LogIndex)
	r.id(w.addresses.ids[e.FromAddress])
	if len(e.Keys) == 0 {
		r.null()
		r.int2(w.code)
		r.int2(0)
		r.felts(e.Data)
		return
	}
	r.id(w.selectors.ids[e.Keys[0]])
	r.int2(w.code)
	r.int2(len(e.Keys))
	r.felts(e.Keys[1:], e.Data)
}

func (w *batchWriter) message(r *copyRows, block uint64, m *facts.Message) {
	contract, l1 := m.From, m.To
	if m.Direction == facts.L1ToL2 {
		contract, l1 = m.To, m.From
	}
	r.row(11)
	r.block(block)
	r.int2(m.TxIndex)
	r.int2(m.Index)
	r.int2(w.code)
	r.bool(m.Direction == facts.L2ToL1)
	r.id(w.addresses.ids[contract])
	w.named(r, w.selectors, m.Selector)
	r.number((*[32]byte)(m.Nonce))
	r.bytes(m.Hash[:])
	r.bytes(l1[:])
	r.felts(m.Payload)
}

func (w *batchWriter) transfer(r *copyRows, block uint64, t *facts.Transfer) {
	r.row(11)
	r.block(block)
	r.int2(t.TxIndex)
	r.int2(t.LogIndex)
	r.int2(t.Index)
	enum(r, model.Standard(t.Standard))
	r.id(w.addresses.ids[t.Token])
	r.id(w.addresses.ids[t.From])
	r.id(w.addresses.ids[t.To])
	r.int2(w.code)
	r.number((*[32]byte)(t.Amount))
	r.number((*[32]byte)(t.TokenID))
}

func (w *batchWriter) activity(r *copyRows, block uint64, a *facts.Activity) {
	r.row(6)
	r.id(w.addresses.ids[a.Address])
	r.block(block)
	r.int2(a.TxIndex)
	r.int2(int(a.Kinds))
	r.int4(int32(a.Items))
	r.int2(w.code)
}

// named writes the id of a felt, or null.
func (w *batchWriter) named(r *copyRows, ids *lookup, felt *starknet.Felt) {
	if felt == nil {
		r.null()
		return
	}
	r.id(ids.ids[*felt])
}
