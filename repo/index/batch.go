package index

import (
	"context"
	"encoding/binary"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// batchWriter converts blocks to rows of one partition and writes them in one
// transaction.
type batchWriter struct {
	chain     domain.Chain
	code      int
	into      indexing.Range
	addresses *lookup
	selectors *lookup
	classes   map[starknet.Felt]model.ID
}

func (w *Writer) batch(c domain.Chain, into indexing.Range) *batchWriter {
	return &batchWriter{
		chain: c, code: model.Code(c), into: into,
		addresses: w.addresses[c].lookup(c), selectors: w.selectors[c].lookup(c),
		classes: make(map[starknet.Felt]model.ID),
	}
}

// ask collects the felts that need ids.
func (w *batchWriter) ask(blocks []facts.Block) {
	for i := range blocks {
		b := &blocks[i]
		for j := range b.Transactions {
			t := &b.Transactions[j]
			w.addresses.askIf(t.Sender)
			w.addresses.askIf(t.Contract)
			w.selectors.askIf(t.Selector)
		}
		for j := range b.Events {
			e := &b.Events[j]
			w.addresses.ask(e.FromAddress)
			if len(e.Keys) > 0 {
				w.selectors.ask(e.Keys[0])
			}
		}
		for j := range b.Messages {
			w.addresses.ask(l2Contract(&b.Messages[j]))
			w.selectors.askIf(b.Messages[j].Selector)
		}
		w.askDerived(b)
	}
}

func (w *batchWriter) askDerived(b *facts.Block) {
	for j := range b.Transfers {
		t := &b.Transfers[j]
		w.addresses.ask(t.Token)
		w.addresses.ask(t.From)
		w.addresses.ask(t.To)
	}
	for j := range b.Activity {
		w.addresses.ask(b.Activity[j].Address)
	}
	for j := range b.Changes {
		w.addresses.ask(b.Changes[j].Address)
	}
	for j := range b.Implementations {
		w.addresses.ask(b.Implementations[j].Address)
		w.addresses.askIf(b.Implementations[j].Contract)
	}
	for j := range b.Untyped {
		w.addresses.ask(b.Untyped[j].Address)
	}
	for j := range b.PoolEvents {
		w.addresses.ask(b.PoolEvents[j].Pool)
		w.addresses.askIf(b.PoolEvents[j].Party)
		w.addresses.askIf(b.PoolEvents[j].Token)
	}
	for j := range b.Deployments {
		w.addresses.ask(b.Deployments[j].Address)
		w.addresses.askIf(b.Deployments[j].Deployer)
	}
	for j := range b.Tokens {
		w.addresses.ask(b.Tokens[j].Address)
	}
	for _, class := range b.Classes {
		for j := range class.Events {
			w.selectors.ask(class.Events[j].Selector)
		}
		for j := range class.Functions {
			w.selectors.ask(class.Functions[j].Selector)
		}
	}
}

// write stores all rows of the blocks.
func (w *batchWriter) write(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	if err := w.addresses.add(ctx, tx); err != nil {
		return err
	}
	if err := w.selectors.add(ctx, tx); err != nil {
		return err
	}
	for _, write := range []func(context.Context, repo.Tx, []facts.Block) error{
		w.writeClasses, w.writeSource, w.writeDerived, w.writeContracts,
	} {
		if err := write(ctx, tx, blocks); err != nil {
			return err
		}
	}
	if w.into.State == indexing.RangeReady {
		return w.writeLocators(ctx, tx, blocks)
	}
	return nil
}

// writeSource stores the blocks, transactions, events and messages that came
// from the node.
func (w *batchWriter) writeSource(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	var rows copyRows
	for i := range blocks {
		w.block(&rows, &blocks[i])
	}
	if err := w.copy(ctx, tx, &rows, "blocks", blockColumns); err != nil {
		return err
	}
	for i := range blocks {
		for j := range blocks[i].Transactions {
			w.transaction(&rows, blocks[i].Header.Number, &blocks[i].Transactions[j])
		}
	}
	if err := w.copy(ctx, tx, &rows, "transactions", transactionColumns); err != nil {
		return err
	}
	for i := range blocks {
		for j := range blocks[i].Events {
			w.event(&rows, blocks[i].Header.Number, &blocks[i].Events[j])
		}
	}
	if err := w.copy(ctx, tx, &rows, "events", eventColumns); err != nil {
		return err
	}
	for i := range blocks {
		for j := range blocks[i].Messages {
			w.message(&rows, blocks[i].Header.Number, &blocks[i].Messages[j])
		}
	}
	return w.copy(ctx, tx, &rows, "messages", messageColumns)
}

// writeDerived stores transfers, the evidence of untyped ones, events of privacy
// pools, and activity.
func (w *batchWriter) writeDerived(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	if err := w.writeTransfers(ctx, tx, blocks); err != nil {
		return err
	}
	if err := w.writeUntyped(ctx, tx, blocks); err != nil {
		return err
	}
	if err := w.writePoolEvents(ctx, tx, blocks); err != nil {
		return err
	}
	return w.writeActivity(ctx, tx, blocks)
}

func (w *batchWriter) writeTransfers(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	var rows copyRows
	for i := range blocks {
		for j := range blocks[i].Transfers {
			w.transfer(&rows, blocks[i].Header.Number, &blocks[i].Transfers[j])
		}
	}
	return w.copy(ctx, tx, &rows, "transfers", transferColumns)
}

func (w *batchWriter) writeActivity(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	var rows copyRows
	for i := range blocks {
		for j := range blocks[i].Activity {
			w.activity(&rows, blocks[i].Header.Number, &blocks[i].Activity[j])
		}
	}
	return w.copy(ctx, tx, &rows, "activity", activityColumns)
}

func (w *batchWriter) copy(ctx context.Context, tx repo.Tx, rows *copyRows, table, columns string) error {
	return rows.into(ctx, tx, leaf(table, w.chain, w.into.From), columns)
}

// writeLocators stores the locators of hashes. A loading partition gets its
// locators when it becomes ready.
func (w *batchWriter) writeLocators(ctx context.Context, tx repo.Tx, blocks []facts.Block) error {
	var rows copyRows
	locate := func(hash []byte, block uint64, tx, kind int) {
		rows.row(5)
		rows.int8(int64(binary.BigEndian.Uint64(hash[8:])))
		rows.block(block)
		rows.int2(tx)
		rows.int2(kind)
		rows.int2(w.code)
	}
	for i := range blocks {
		b := &blocks[i]
		locate(b.Header.Hash[:], b.Header.Number, 0, model.BlockLocator)
		for j := range b.Transactions {
			locate(b.Transactions[j].Hash[:], b.Header.Number, b.Transactions[j].Index, model.TransactionLocator)
		}
		for j := range b.Messages {
			locate(b.Messages[j].Hash[:], b.Header.Number, b.Messages[j].TxIndex, model.MessageLocator)
		}
	}
	return rows.into(ctx, tx, "locators", locatorColumns)
}

// l2Contract returns the Starknet contract of a message.
func l2Contract(m *facts.Message) starknet.Felt {
	if m.Direction == facts.L1ToL2 {
		return m.To
	}
	return m.From
}
