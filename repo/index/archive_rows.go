package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// rangeRows reads the rows of a run from the tables of its partition, each in index
// order.
func (r *reading) rangeRows(ctx context.Context, tx bun.IDB, within indexing.Range, into *runOfBlocks) error {
	transactions, err := readTable[model.Transaction](ctx, tx, r, within, into, facts.TableTransactions, transactionColumns, "block, tx")
	if err != nil {
		return err
	}
	events, err := readTable[model.Event](ctx, tx, r, within, into, facts.TableEvents, eventColumns, "block, tx, log")
	if err != nil {
		return err
	}
	messages, err := readTable[model.Message](ctx, tx, r, within, into, facts.TableMessages, messageColumns, "block, tx, to_l1, idx")
	if err != nil {
		return err
	}
	transfers, err := readTable[model.Transfer](ctx, tx, r, within, into, facts.TableTransfers, transferColumns, "block, tx, log, idx")
	if err != nil {
		return err
	}
	activity, err := readTable[model.Activity](ctx, tx, r, within, into, facts.TableActivity, activityColumns, "block")
	if err != nil {
		return err
	}
	r.ask(transactions, events, messages, transfers, activity)
	if err := r.addresses.load(ctx, tx, r.code); err != nil {
		return err
	}
	if err := r.selectors.load(ctx, tx, r.code); err != nil {
		return err
	}
	for _, fill := range []func() error{
		func() error {
			return fillRows(into, facts.TableTransactions, transactions,
				func(t *model.Transaction) model.BlockNumber { return t.Block },
				func(b *facts.Block) *[]facts.Transaction { return &b.Transactions }, r.transaction)
		},
		func() error {
			return fillRows(into, facts.TableEvents, events,
				func(e *model.Event) model.BlockNumber { return e.Block },
				func(b *facts.Block) *[]facts.Event { return &b.Events }, r.event)
		},
		func() error {
			return fillRows(into, facts.TableMessages, messages,
				func(m *model.Message) model.BlockNumber { return m.Block },
				func(b *facts.Block) *[]facts.Message { return &b.Messages }, r.message)
		},
		func() error {
			return fillRows(into, facts.TableTransfers, transfers,
				func(t *model.Transfer) model.BlockNumber { return t.Block },
				func(b *facts.Block) *[]facts.Transfer { return &b.Transfers }, r.transfer)
		},
		func() error {
			return fillRows(into, facts.TableActivity, activity,
				func(a *model.Activity) model.BlockNumber { return a.Block },
				func(b *facts.Block) *[]facts.Activity { return &b.Activity }, r.activity)
		},
	} {
		if err := fill(); err != nil {
			return err
		}
	}
	for _, b := range into.blocks {
		slices.SortStableFunc(b.Activity, func(a, b facts.Activity) int {
			return cmp.Or(a.Address.Cmp(b.Address), cmp.Compare(a.TxIndex, b.TxIndex))
		})
	}
	r.addresses.forget()
	r.selectors.forget()
	return nil
}

func readTable[T any](ctx context.Context, tx bun.IDB, r *reading, within indexing.Range, into *runOfBlocks, table facts.Table, columns, order string) ([]T, error) {
	return readRows[T](ctx, tx, span{table, into.first, into.last}, fmt.Sprintf(`/* stored.%[1]s */
		SELECT %[2]s FROM %[3]s WHERE block BETWEEN $1 AND $2 ORDER BY %[4]s`,
		table, columns, leaf(string(table), r.chain, within.From), order))
}

// ask collects the ids that have to be resolved.
func (r *reading) ask(transactions []model.Transaction, events []model.Event, messages []model.Message, transfers []model.Transfer, activity []model.Activity) {
	for i := range transactions {
		r.addresses.askIf(transactions[i].Sender)
		r.addresses.askIf(transactions[i].Contract)
		r.selectors.askIf(transactions[i].Selector)
	}
	for i := range events {
		r.addresses.ask(events[i].Address)
		r.selectors.askIf(events[i].Selector)
	}
	for i := range messages {
		r.addresses.ask(messages[i].Contract)
		r.selectors.askIf(messages[i].Selector)
	}
	for i := range transfers {
		r.addresses.ask(transfers[i].Token)
		r.addresses.ask(transfers[i].Sender)
		r.addresses.ask(transfers[i].Receiver)
	}
	for i := range activity {
		r.addresses.ask(activity[i].Address)
	}
}

// headerOf returns the header of a block; it returns false if the row does not
// have six prices.
func headerOf(b *model.Block) (facts.Header, bool) {
	if len(b.Prices) != 6 {
		return facts.Header{}, false
	}
	return facts.Header{
		Number: uint64(b.Block), L1DAMode: starknet.L1DAMode(b.L1DAMode), Timestamp: uint64(b.Timestamp),
		Transactions: int(b.TxCount), Events: int(b.EventCount),
		Hash: b.Hash, ParentHash: b.ParentHash, StateRoot: b.StateRoot, Sequencer: b.Sequencer,
		L1Gas:     starknet.ResourcePrice{PriceInWei: b.Prices[0], PriceInFri: b.Prices[1]},
		L1DataGas: starknet.ResourcePrice{PriceInWei: b.Prices[2], PriceInFri: b.Prices[3]},
		L2Gas:     starknet.ResourcePrice{PriceInWei: b.Prices[4], PriceInFri: b.Prices[5]},
		Version:   b.Version, Verification: facts.Verification(b.Verification),
	}, true
}

func (r *reading) transaction(t *model.Transaction) (facts.Transaction, bool) {
	sender, known := r.addresses.feltIf(t.Sender)
	contract, known2 := r.addresses.feltIf(t.Contract)
	selector, known3 := r.selectors.feltIf(t.Selector)
	if t.Envelope == nil || int(t.SignatureLen) != len(t.Envelope.Signature) {
		return facts.Transaction{}, false
	}
	unit := starknet.Wei
	if t.FeeInFri {
		unit = starknet.Fri
	}
	return facts.Transaction{
		Index: int(t.Tx), Hash: t.Hash, Type: starknet.TransactionType(t.Type), Version: uint64(t.Version),
		Sender: sender, Contract: contract, Selector: selector, Class: t.Class,
		Nonce: t.Nonce.Felt(), Calldata: t.Calldata, Envelope: facts.Envelope(*t.Envelope),
		Fee: starknet.Felt(t.Fee), FeeUnit: unit, Reverted: t.Reverted, RevertReason: string(t.RevertReason),
		Resources: starknet.ExecutionResources{L1Gas: uint64(t.L1Gas), L1DataGas: uint64(t.L1DataGas), L2Gas: uint64(t.L2Gas)},
	}, known && known2 && known3
}

func (r *reading) event(row *model.Event) (facts.Event, bool) {
	address, known := r.addresses.felt(row.Address)
	selector, known2 := r.selectors.feltIf(row.Selector)
	keys, stored := int(row.Keys), 0 // the number of keys in the payload
	if selector != nil {
		stored = keys - 1
	}
	if !known || !known2 || stored < 0 || stored > len(row.Payload) || (selector == nil) != (keys == 0) {
		return facts.Event{}, false
	}
	e := facts.Event{TxIndex: int(row.Tx), LogIndex: int(row.Log)}
	e.FromAddress = address
	if selector != nil {
		e.Keys = append(append(make([]starknet.Felt, 0, keys), *selector), row.Payload[:stored]...)
	}
	if stored < len(row.Payload) {
		e.Data = row.Payload[stored:]
	}
	return e, true
}

func (r *reading) message(row *model.Message) (facts.Message, bool) {
	contract, known := r.addresses.felt(row.Contract)
	selector, known2 := r.selectors.feltIf(row.Selector)
	m := facts.Message{
		TxIndex: int(row.Tx), Index: int(row.Idx), Direction: facts.L1ToL2, From: row.L1Address, To: contract,
		Selector: selector, Nonce: row.Nonce.Felt(), Hash: starknet.Hash256(row.Hash), Payload: row.Payload,
	}
	if row.ToL1 {
		m.Direction, m.From, m.To = facts.L2ToL1, contract, row.L1Address
	}
	return m, known && known2
}

func (r *reading) transfer(row *model.Transfer) (facts.Transfer, bool) {
	token, known := r.addresses.felt(row.Token)
	from, known2 := r.addresses.felt(row.Sender)
	to, known3 := r.addresses.felt(row.Receiver)
	return facts.Transfer{
		TxIndex: int(row.Tx), LogIndex: int(row.Log), Index: int(row.Idx), Standard: facts.Standard(row.Standard),
		Token: token, From: from, To: to, Amount: row.Amount, TokenID: row.TokenID,
	}, known && known2 && known3
}

func (r *reading) activity(row *model.Activity) (facts.Activity, bool) {
	address, known := r.addresses.felt(row.Address)
	return facts.Activity{Address: address, TxIndex: int(row.Tx), Kinds: facts.Kinds(row.Kinds), Items: int(row.Items)}, known
}
