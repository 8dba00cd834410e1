package facts

import "astrolabe/starknet"

// A sink receives the rows of a table in order, column by column. Digest and
// difference are sinks, so that they agree on the columns of a row.
type sink interface {
	// row begins a row whose first columns, as many as keys, are its key.
	row(keys int)
	number(column string, v uint64)
	flag(column string, v bool)
	text(column string, v string)
	bytes(column string, v []byte)
	felt(column string, v starknet.Felt)
	feltIf(column string, v *starknet.Felt)
	felts(column string, v []starknet.Felt)
	numberIf(column string, v *int)
	amountIf(column string, v *starknet.Uint256)
}

// columns sends the rows of a table to a sink.
func (b *Block) columns(table Table, s sink) {
	switch table {
	case TableBlocks:
		b.Header.columns(s)
	case TableTransactions:
		each(b.Transactions, s, (*Transaction).columns)
	case TableEvents:
		each(b.Events, s, (*Event).columns)
	case TableMessages:
		each(b.Messages, s, (*Message).columns)
	case TableDeclarations:
		each(b.Declarations, s, (*Declaration).columns)
	case TableChanges:
		each(b.Changes, s, (*ClassChange).columns)
	case TableImplementations:
		each(b.Implementations, s, (*Implementation).columns)
	case TableDeployments:
		each(b.Deployments, s, (*Deployment).columns)
	case TableTransfers:
		each(b.Transfers, s, (*Transfer).columns)
	case TableUntyped:
		each(b.Untyped, s, (*UntypedTransfer).columns)
	case TablePrivacyEvents:
		each(b.PoolEvents, s, (*PoolEvent).columns)
	case TableActivity:
		each(b.Activity, s, (*Activity).columns)
	case TableTokens:
		each(b.Tokens, s, (*Token).columns)
	case TableClasses:
		for _, class := range b.Classes {
			class.columns(s)
		}
	}
}

func each[T any](rows []T, s sink, columns func(*T, sink)) {
	for i := range rows {
		columns(&rows[i], s)
	}
}

func (h *Header) columns(s sink) {
	s.row(0)
	s.number("number", h.Number)
	s.felt("hash", h.Hash)
	s.felt("parent_hash", h.ParentHash)
	s.felt("state_root", h.StateRoot)
	s.felt("sequencer", h.Sequencer)
	s.number("timestamp", h.Timestamp)
	s.text("version", h.Version)
	s.text("l1_da_mode", string(h.L1DAMode))
	for _, price := range []struct {
		of string
		starknet.ResourcePrice
	}{{"l1_gas", h.L1Gas}, {"l1_data_gas", h.L1DataGas}, {"l2_gas", h.L2Gas}} {
		s.felt(price.of+"_price_in_wei", price.PriceInWei)
		s.felt(price.of+"_price_in_fri", price.PriceInFri)
	}
	s.number("tx_count", uint64(h.Transactions))
	s.number("event_count", uint64(h.Events))
}

func (t *Transaction) columns(s sink) {
	s.row(1)
	s.number("tx", uint64(t.Index))
	s.felt("hash", t.Hash)
	s.text("type", string(t.Type))
	s.number("version", t.Version)
	s.feltIf("sender", t.Sender)
	s.feltIf("contract", t.Contract)
	s.feltIf("selector", t.Selector)
	s.feltIf("class", t.Class)
	s.feltIf("nonce", t.Nonce)
	s.felts("calldata", t.Calldata)
	t.Envelope.columns(s)
	s.flag("reverted", t.Reverted)
	s.text("revert_reason", t.RevertReason)
	s.felt("fee", t.Fee)
	s.flag("fee_in_fri", t.FeeUnit == starknet.Fri)
	s.number("l1_gas", t.Resources.L1Gas)
	s.number("l1_data_gas", t.Resources.L1DataGas)
	s.number("l2_gas", t.Resources.L2Gas)
}

func (e *Event) columns(s sink) {
	s.row(2)
	s.number("tx", uint64(e.TxIndex))
	s.number("log", uint64(e.LogIndex))
	s.felt("address", e.FromAddress)
	s.felts("keys", e.Keys)
	s.felts("data", e.Data)
}

func (m *Message) columns(s sink) {
	s.row(3)
	s.number("tx", uint64(m.TxIndex))
	s.text("direction", string(m.Direction))
	s.number("idx", uint64(m.Index))
	s.bytes("hash", m.Hash[:])
	s.felt("from", m.From)
	s.felt("to", m.To)
	s.feltIf("nonce", m.Nonce)
	s.feltIf("selector", m.Selector)
	s.felts("payload", m.Payload)
}

func (d *Declaration) columns(s sink) {
	s.row(1)
	s.felt("class", d.Class)
	s.feltIf("compiled", d.Compiled)
	s.numberIf("tx", d.TxIndex)
}

func (c *ClassChange) columns(s sink) {
	s.row(2)
	s.felt("address", c.Address)
	s.text("origin", string(c.Origin))
	s.felt("class", c.Class)
}

func (i *Implementation) columns(s sink) {
	s.row(3)
	s.felt("address", i.Address)
	s.text("origin", string(i.Origin))
	s.text("family", string(i.Family))
	s.feltIf("class", i.Class)
	s.feltIf("contract", i.Contract)
}

func (d *Deployment) columns(s sink) {
	s.row(1)
	s.felt("address", d.Address)
	s.felt("class", d.Class)
	s.text("evidence", string(d.Evidence))
	s.numberIf("tx", d.TxIndex)
	s.feltIf("deployer", d.Deployer)
}

func (t *Transfer) columns(s sink) {
	s.row(3)
	s.number("tx", uint64(t.TxIndex))
	s.number("log", uint64(t.LogIndex))
	s.number("idx", uint64(t.Index))
	s.text("standard", string(t.Standard))
	s.felt("token", t.Token)
	s.felt("sender", t.From)
	s.felt("receiver", t.To)
	s.amountIf("amount", t.Amount)
	s.amountIf("token_id", t.TokenID)
}

func (u *UntypedTransfer) columns(s sink) {
	s.row(2)
	s.felt("address", u.Address)
	s.text("part", string(u.Role))
	s.number("events", uint64(u.Events))
}

func (p *PoolEvent) columns(s sink) {
	s.row(2)
	s.number("tx", uint64(p.TxIndex))
	s.number("log", uint64(p.LogIndex))
	s.felt("pool", p.Pool)
	s.text("variant", string(p.Variant))
	s.text("reading", string(p.Reading))
	s.feltIf("party", p.Party)
	s.feltIf("token", p.Token)
	s.amountIf("amount", p.Amount)
	s.feltIf("note", p.Note)
}

func (a *Activity) columns(s sink) {
	s.row(2)
	s.felt("address", a.Address)
	s.number("tx", uint64(a.TxIndex))
	s.number("kinds", uint64(a.Kinds))
	s.number("items", uint64(a.Items))
}

func (t *Token) columns(s sink) {
	s.row(1)
	s.felt("address", t.Address)
	s.text("standard", string(t.Standard))
}
