package repo

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// locatedTransactions are the transactions t with their blocks b that hashes
// name, by locators_tag and then by the places of a range's transactions and
// blocks. A locator shows where to compare the whole hash.
const locatedTransactions = `
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (hash, n)
	CROSS JOIN LATERAL (SELECT block, tx FROM locators WHERE tag = locator_tag(p.hash) AND kind = 2 AND chain = %[1]d OFFSET 0) l
	CROSS JOIN LATERAL (
		SELECT ` + transactionColumns + ` FROM transactions WHERE chain = %[1]d AND block = l.block AND tx = l.tx AND hash = p.hash LIMIT 1
	) t
	CROSS JOIN LATERAL (SELECT hash, timestamp FROM blocks WHERE chain = %[1]d AND block = l.block LIMIT 1) b`

// addressOf and selectorOf are the felt of an id, by primary key.
const (
	addressOf  = "(SELECT felt FROM addresses WHERE chain = %%[1]d AND id = %s)"
	selectorOf = "(SELECT felt FROM selectors WHERE chain = %%[1]d AND id = %s)"
)

// shownLine are the columns of a transaction t in a list.
var shownLine = "t.block, t.tx, t.hash, t.type, t.reverted, " + fmt.Sprintf(addressOf, "t.sender") + ", " + fmt.Sprintf(addressOf, "t.contract")

// scanLine reads the columns of shownLine.
func scanLine(f *fields) chain.TxLine {
	return chain.TxLine{
		Place: chain.TxPlace{Block: uint64(f.int4()), Tx: f.int2()}, Hash: f.felt(), Type: oneOf(f, transactionTypes), Reverted: f.bool(),
		Sender: f.feltOrNil(), Contract: f.feltOrNil(),
	}
}

// transactionsByHash finds whole transactions.
var transactionsByHash = `/* transaction.by_hash */
	SELECT p.n, ` + shownLine + `, ` + fmt.Sprintf(selectorOf, "t.selector") + `,
		t.version, t.fee_in_fri, t.signature_len, t.l1_gas, t.l1_data_gas, t.l2_gas, t.fee, t.nonce, t.class, t.calldata, t.revert_reason,
		b.hash, b.timestamp` + locatedTransactions

// TransactionsByHash implements chain.TransactionStore.
func (db *DB) TransactionsByHash(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*chain.TxFacts, error) {
	found := make([]*chain.TxFacts, len(hashes))
	err := visit(ctx, db, func(f *fields) error {
		n := f.int8()
		tx := scanTransaction(f)
		if f.bad {
			return damagedTransaction(tx.Block.Number)
		}
		found[n-1] = tx
		return nil
	}, written(transactionsByHash, chainCode(c)), feltBytes(hashes))
	return found, err
}

func damagedTransaction(block uint64) error {
	return damaged(facts.TableTransactions, block, "a value is malformed, or an id is in no dictionary")
}

func scanTransaction(f *fields) *chain.TxFacts {
	line := scanLine(f)
	tx := &chain.TxFacts{Transaction: facts.Transaction{
		Index: line.Place.Tx, Hash: line.Hash, Type: line.Type, Reverted: line.Reverted, Sender: line.Sender, Contract: line.Contract,
		Selector: f.feltOrNil(), Version: uint64(f.int2()), FeeUnit: starknet.Wei,
	}}
	if f.bool() {
		tx.FeeUnit = starknet.Fri
	}
	tx.SignatureLength = f.int2()
	tx.Resources = starknet.ExecutionResources{L1Gas: uint64(f.int8()), L1DataGas: uint64(f.int8()), L2Gas: uint64(f.int8())}
	if fee := f.numberFelt(); fee != nil {
		tx.Fee = *fee
	}
	tx.Nonce, tx.Class = f.numberFelt(), f.feltOrNil()
	tx.Calldata, tx.RevertReason = f.felts(0), string(f.bytes())
	tx.Block = domain.BlockRef{Number: line.Place.Block, Hash: f.felt()}
	tx.Timestamp = uint64(f.int8())
	return tx
}

// transactionsOfBlocks goes along the place of each block's transactions, if
// the index holds the very block. A block without any has one row of nulls.
var transactionsOfBlocks = `/* transaction.of_blocks */
	SELECT p.n, ` + shownLine + `
	FROM unnest($1::integer[], $2::bytea[]) WITH ORDINALITY AS p (block, hash, n)
	CROSS JOIN LATERAL (SELECT block FROM blocks WHERE chain = %[1]d AND block = p.block AND hash = p.hash LIMIT 1) b
	LEFT JOIN LATERAL (
		SELECT block, tx, hash, type, reverted, sender, contract
		FROM transactions WHERE chain = %[1]d AND block = b.block AND tx > $3 ORDER BY tx LIMIT %[2]d
	) t ON true`

// TransactionsOfBlocks implements chain.TransactionStore.
func (db *DB) TransactionsOfBlocks(ctx context.Context, c domain.Chain, blocks []domain.BlockRef, after, limit int) ([][]chain.TxLine, []bool, error) {
	numbers, hashes := make([]int32, len(blocks)), make([][]byte, len(blocks))
	for i := range blocks {
		numbers[i], hashes[i] = int32(blocks[i].Number), blocks[i].Hash[:]
	}
	lists, held := make([][]chain.TxLine, len(blocks)), make([]bool, len(blocks))
	err := visit(ctx, db, func(f *fields) error {
		n := f.int8() - 1
		held[n] = true
		if f.raw[f.next] == nil {
			return nil
		}
		line := scanLine(f)
		if f.bad {
			return damagedTransaction(line.Place.Block)
		}
		lists[n] = append(lists[n], line)
		return nil
	}, written(transactionsOfBlocks, chainCode(c), rowsFor(limit)), numbers, hashes, int16(after))
	for _, lines := range lists {
		slices.SortFunc(lines, func(a, b chain.TxLine) int { return cmp.Compare(a.Place.Tx, b.Place.Tx) })
	}
	return lists, held, err
}

// outlinesByHash finds transactions in short. Events and transfers are counted
// in their places.
var outlinesByHash = `/* transaction.outline */
	SELECT p.n, ` + shownLine + `, ` + fmt.Sprintf(selectorOf, "t.selector") + `, t.version, t.calldata, b.hash, b.timestamp,
		(SELECT count(*) FROM events WHERE chain = %[1]d AND block = t.block AND tx = t.tx),
		(SELECT count(*) FROM transfers WHERE chain = %[1]d AND block = t.block AND tx = t.tx)` + locatedTransactions

// Outlines implements chain.TransactionStore. Calldata is looked at row by
// row and not kept: a request can name much of it.
func (db *DB) Outlines(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*chain.TxOutline, error) {
	found := make([]*chain.TxOutline, len(hashes))
	err := visit(ctx, db, func(f *fields) error {
		n := f.int8()
		o := &chain.TxOutline{TxLine: scanLine(f)}
		calling := facts.Transaction{Type: o.Type, Selector: f.feltOrNil(), Version: uint64(f.int2()), Calldata: f.felts(0)}
		o.Calling(&calling)
		o.BlockHash, o.Timestamp = f.felt(), uint64(f.int8())
		o.Events, o.Transfers = int(f.int8()), int(f.int8())
		if f.bad {
			return damagedTransaction(o.Place.Block)
		}
		found[n-1] = o
		return nil
	}, written(outlinesByHash, chainCode(c)), feltBytes(hashes))
	return found, err
}

// functionNames is one name for each selector, by function_schemas_selector.
const functionNames = `/* function.names */
	SELECT p.n, f.name
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, n)
	CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = p.felt LIMIT 1) s
	CROSS JOIN LATERAL (SELECT name FROM function_schemas WHERE chain = %[1]d AND selector = s.id ORDER BY name LIMIT 1) f`

// FunctionNames implements chain.TransactionStore.
func (db *DB) FunctionNames(ctx context.Context, c domain.Chain, selectors []starknet.Felt) ([]string, error) {
	names := make([]string, len(selectors))
	err := visit(ctx, db, keepName(names), written(functionNames, chainCode(c)), feltBytes(selectors))
	return names, err
}

// keepName puts a row of functionNames in its place.
func keepName(names []string) func(*fields) error {
	return func(f *fields) error {
		n := f.int8()
		names[n-1] = string(f.bytes())
		return nil
	}
}
