package repo

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// storedTable is how the rows of a range's table are read back.
type storedTable struct {
	name                 facts.Table
	columns, order       string
	number               int   // the column of the block
	addresses, selectors []int // the columns of ids
	add                  func(*reading, *fields, *facts.Block)
}

// storedTables are all range tables but blocks. They are read in the columns'
// order in which they were written, and in the order of their index.
var storedTables = []storedTable{
	{facts.TableTransactions, transactionColumns, "block, tx", 0, []int{3, 4}, []int{5}, (*reading).addTransaction},
	{facts.TableEvents, eventColumns, "block, tx, log", 0, []int{3}, []int{4}, (*reading).addEvent},
	{facts.TableMessages, messageColumns, "block, tx, to_l1, idx", 0, []int{5}, []int{6}, (*reading).addMessage},
	{facts.TableTransfers, transferColumns, "block, tx, log, idx", 0, []int{5, 6, 7}, nil, (*reading).addTransfer},
	{facts.TableActivity, activityColumns, "block", 1, []int{0}, nil, (*reading).addActivity},
}

// rangeRows reads the rows of a run from its range's tables.
func (r *reading) rangeRows(ctx context.Context, tx pgx.Tx, within indexing.Range, into *runOfBlocks) error {
	collected := make([][]fields, len(storedTables))
	for i, table := range storedTables {
		rows, err := tx.Query(ctx, fmt.Sprintf(`/* stored.%[1]s */
			SELECT %[2]s FROM %[3]s WHERE block BETWEEN $1 AND $2 ORDER BY %[4]s`,
			table.name, table.columns, leaf(string(table.name), r.chain, within.From), table.order),
			pgx.QueryExecModeDescribeExec, binaryResults, int64(into.first), int64(into.last))
		if err != nil {
			return err
		}
		if collected[i], err = pgx.CollectRows(rows, collectFields); err != nil {
			return err
		}
		r.ask(table, collected[i])
	}
	if err := r.addresses.learn(ctx, tx, r.code); err != nil {
		return err
	}
	if err := r.selectors.learn(ctx, tx, r.code); err != nil {
		return err
	}
	for i, table := range storedTables {
		for j := range collected[i] {
			if err := r.add(table, &collected[i][j], into); err != nil {
				return err
			}
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

// ask collects the ids of rows.
func (r *reading) ask(table storedTable, rows []fields) {
	for i := range rows {
		for _, column := range table.addresses {
			if id, ok := rows[i].id(column); ok {
				r.addresses.ask(id)
			}
		}
		for _, column := range table.selectors {
			if id, ok := rows[i].id(column); ok {
				r.selectors.ask(id)
			}
		}
	}
}

func (r *reading) add(table storedTable, row *fields, into *runOfBlocks) error {
	number, ok := row.id(table.number)
	if !ok || number < 0 {
		return &indexing.DamageError{Table: table.name, What: "a row has no block"}
	}
	block, err := into.at(table.name, uint64(number))
	if err != nil {
		return err
	}
	table.add(r, row, block)
	if row.bad {
		return damaged(table.name, uint64(number), "a value is malformed, or an id is in no dictionary")
	}
	return nil
}

// id looks at a column of 4 bytes; it is false for null.
func (f *fields) id(column int) (int32, bool) {
	if len(f.raw[column]) != 4 {
		return 0, false
	}
	ahead := fields{raw: f.raw, next: column}
	return ahead.int4(), true
}

// named returns the felt of an id. An id that the glossary does not have makes
// the row bad.
func (f *fields) named(g *glossary) starknet.Felt {
	felt, ok := g.felts[f.int4()]
	f.bad = f.bad || !ok
	return felt
}

// namedOrNil does the same for an id that may be null.
func (f *fields) namedOrNil(g *glossary) *starknet.Felt {
	if f.raw[f.next] == nil {
		f.next++
		return nil
	}
	return new(f.named(g))
}

// oneOf reads a word that is stored as its place in a list.
func oneOf[T any](f *fields, list []T) (word T) {
	i := f.int2()
	if i < 0 || i >= len(list) {
		f.bad = true
		return word
	}
	return list[i]
}

func storedHeader(f *fields) facts.Header {
	h := facts.Header{Number: uint64(f.int4())}
	f.skip()
	h.L1DAMode = oneOf(f, l1DAModes)
	h.Timestamp = uint64(f.int8())
	h.Transactions, h.Events = int(f.int4()), int(f.int4())
	h.Hash, h.ParentHash, h.StateRoot, h.Sequencer = f.felt(), f.felt(), f.felt(), f.felt()
	prices := f.felts(0)
	if len(prices) != 6 {
		f.bad = true
		return h
	}
	h.L1Gas = starknet.ResourcePrice{PriceInWei: prices[0], PriceInFri: prices[1]}
	h.L1DataGas = starknet.ResourcePrice{PriceInWei: prices[2], PriceInFri: prices[3]}
	h.L2Gas = starknet.ResourcePrice{PriceInWei: prices[4], PriceInFri: prices[5]}
	h.Version = string(f.bytes())
	return h
}

func (r *reading) addTransaction(f *fields, b *facts.Block) {
	f.skip()
	t := facts.Transaction{Index: f.int2()}
	f.skip()
	t.Sender, t.Contract, t.Selector = f.namedOrNil(r.addresses), f.namedOrNil(r.addresses), f.namedOrNil(r.selectors)
	t.Type = oneOf(f, transactionTypes)
	t.Version = uint64(f.int2())
	t.Reverted = f.bool()
	t.FeeUnit = starknet.Wei
	if f.bool() {
		t.FeeUnit = starknet.Fri
	}
	t.SignatureLength = f.int2()
	t.Resources = starknet.ExecutionResources{L1Gas: uint64(f.int8()), L1DataGas: uint64(f.int8()), L2Gas: uint64(f.int8())}
	if fee := f.numberFelt(); fee != nil {
		t.Fee = *fee
	}
	t.Nonce = f.numberFelt()
	t.Hash, t.Class = f.felt(), f.feltOrNil()
	t.Calldata, t.RevertReason = f.felts(0), string(f.bytes())
	b.Transactions = append(b.Transactions, t)
}

func (r *reading) addEvent(f *fields, b *facts.Block) {
	f.skip()
	e := facts.Event{TxIndex: f.int2(), LogIndex: f.int2()}
	e.FromAddress = f.named(r.addresses)
	selector := f.namedOrNil(r.selectors)
	f.skip()
	keys, first := f.int2(), 0
	if selector != nil {
		first = 1
	}
	felts := f.felts(first)
	if keys < first || keys > len(felts) || (first == 0) != (keys == 0) {
		f.bad = true
		return
	}
	if selector != nil {
		felts[0] = *selector
		e.Keys = felts[:keys:keys]
	}
	if keys < len(felts) {
		e.Data = felts[keys:]
	}
	b.Events = append(b.Events, e)
}

func (r *reading) addMessage(f *fields, b *facts.Block) {
	f.skip()
	m := facts.Message{TxIndex: f.int2(), Index: f.int2(), Direction: facts.L1ToL2}
	f.skip()
	toL1 := f.bool()
	contract := f.named(r.addresses)
	m.Selector, m.Nonce = f.namedOrNil(r.selectors), f.numberFelt()
	m.Hash = starknet.Hash256(f.fixed(32))
	m.From, m.To = f.felt(), contract
	if toL1 {
		m.Direction, m.From, m.To = facts.L2ToL1, contract, m.From
	}
	m.Payload = f.felts(0)
	b.Messages = append(b.Messages, m)
}

func (r *reading) addTransfer(f *fields, b *facts.Block) {
	f.skip()
	t := facts.Transfer{TxIndex: f.int2(), LogIndex: f.int2(), Index: f.int2(), Standard: oneOf(f, standards)}
	t.Token, t.From, t.To = f.named(r.addresses), f.named(r.addresses), f.named(r.addresses)
	f.skip()
	t.Amount, t.TokenID = (*starknet.Uint256)(f.number()), (*starknet.Uint256)(f.number())
	b.Transfers = append(b.Transfers, t)
}

func (r *reading) addActivity(f *fields, b *facts.Block) {
	a := facts.Activity{Address: f.named(r.addresses)}
	f.skip()
	a.TxIndex, a.Kinds, a.Items = f.int2(), facts.Kinds(f.int2()), int(f.int4())
	b.Activity = append(b.Activity, a)
}
