package onchain

import (
	"cmp"
	"context"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Transactions reads transactions with their outcomes.
type Transactions struct{ db *repo.DB }

var _ chain.TransactionStore = Transactions{}

// NewTransactions returns the repository of transactions.
func NewTransactions(db *repo.DB) Transactions { return Transactions{db} }

const transactionColumns = "block, tx, chain, sender, contract, selector, type, version, reverted, fee_in_fri, signature_len, l1_gas, l1_data_gas, l2_gas, fee, nonce, hash, class, calldata, revert_reason, envelope"

// locatedTransactions are the transactions t with the given hashes and their
// blocks b, by locators_tag and then by transactions_…_place and
// blocks_…_place. A locator has only part of the hash, so the whole hash is
// compared with the transaction.
const locatedTransactions = `
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (hash, n)
	CROSS JOIN LATERAL (SELECT block, tx FROM locators WHERE tag = locator_tag(p.hash) AND kind = 2 AND chain = %[1]d OFFSET 0) l
	CROSS JOIN LATERAL (
		SELECT ` + transactionColumns + ` FROM transactions WHERE chain = %[1]d AND block = l.block AND tx = l.tx AND hash = p.hash LIMIT 1
	) t
	CROSS JOIN LATERAL (SELECT hash, timestamp FROM blocks WHERE chain = %[1]d AND block = l.block LIMIT 1) b`

// The columns of a transaction t. Ids become felts, by primary key.
const (
	lineColumns = `t.block, t.tx, t.hash, t.type, t.reverted,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.sender) AS sender,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.contract) AS contract`
	selectorColumn = `(SELECT felt FROM selectors WHERE chain = %[1]d AND id = t.selector) AS selector`
)

// lineRow has the columns of a transaction in a list.
type lineRow struct {
	Block    model.BlockNumber     `bun:"block"`
	Tx       model.Index           `bun:"tx"`
	Hash     starknet.Felt         `bun:"hash"`
	Type     model.TransactionType `bun:"type"`
	Reverted bool                  `bun:"reverted"`
	Sender   *starknet.Felt        `bun:"sender"`
	Contract *starknet.Felt        `bun:"contract"`
}

func (r *lineRow) line() chain.TxLine {
	return chain.TxLine{
		Place: chain.TxPlace{Block: uint64(r.Block), Tx: int(r.Tx)}, Hash: r.Hash, Type: starknet.TransactionType(r.Type), Reverted: r.Reverted,
		Sender: r.Sender, Contract: r.Contract,
	}
}

// transactionsByHash finds whole transactions.
const transactionsByHash = `/* transaction.by_hash */
	SELECT p.n, ` + lineColumns + `, ` + selectorColumn + `,
		t.version, t.fee_in_fri, t.signature_len, t.l1_gas, t.l1_data_gas, t.l2_gas, t.fee, t.nonce, t.class, t.calldata, t.revert_reason, t.envelope,
		b.hash AS block_hash, b.timestamp` + locatedTransactions

// transactionRow is a row of transactionsByHash, which has felts instead of
// ids.
type transactionRow struct {
	N int64 `bun:"n"`
	model.Transaction
	Sender    *starknet.Felt `bun:"sender"`
	Contract  *starknet.Felt `bun:"contract"`
	Selector  *starknet.Felt `bun:"selector"`
	BlockHash starknet.Felt  `bun:"block_hash"`
	Timestamp int64          `bun:"timestamp"`
}

// reindexing is when a transaction without an envelope is worth asking for
// again.
const reindexing = 10 * time.Minute

// TransactionsByHash implements chain.TransactionStore.
func (r Transactions) TransactionsByHash(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*chain.TxFacts, error) {
	rows, err := read(ctx, r.db, facts.TableTransactions, func(row *transactionRow) model.BlockNumber { return row.Block },
		repo.Text(transactionsByHash, model.Code(c)), model.Bytes(hashes))
	if err != nil {
		return nil, err
	}
	found := make([]*chain.TxFacts, len(hashes))
	for i := range rows {
		if rows[i].Envelope == nil {
			return nil, domain.Unavailable(reindexing, nil, "This index was made by a release that did not store signatures and fee bounds. Its operator has to index the chain again.")
		}
		found[rows[i].N-1] = rows[i].facts()
	}
	return found, nil
}

func (r *transactionRow) facts() *chain.TxFacts {
	unit := starknet.Wei
	if r.FeeInFri {
		unit = starknet.Fri
	}
	return &chain.TxFacts{
		Transaction: facts.Transaction{
			Index: int(r.Tx), Hash: r.Hash, Type: starknet.TransactionType(r.Type), Version: uint64(r.Version),
			Sender: r.Sender, Contract: r.Contract, Selector: r.Selector, Class: r.Class, Nonce: r.Nonce.Felt(),
			Calldata: r.Calldata, Envelope: facts.Envelope(*r.Envelope),
			Reverted: r.Reverted, RevertReason: string(r.RevertReason),
			Fee: starknet.Felt(r.Fee), FeeUnit: unit,
			Resources: starknet.ExecutionResources{L1Gas: uint64(r.L1Gas), L1DataGas: uint64(r.L1DataGas), L2Gas: uint64(r.L2Gas)},
		},
		Block:     domain.BlockRef{Number: uint64(r.Block), Hash: r.BlockHash},
		Timestamp: uint64(r.Timestamp),
	}
}

// transactionsOfBlocks uses transactions_…_place for each block, if the index
// holds a block with that number and hash. A block without transactions has one
// row of nulls.
const transactionsOfBlocks = `/* transaction.of_blocks */
	SELECT p.n, ` + lineColumns + `
	FROM unnest($1::integer[], $2::bytea[]) WITH ORDINALITY AS p (block, hash, n)
	CROSS JOIN LATERAL (SELECT block FROM blocks WHERE chain = %[1]d AND block = p.block AND hash = p.hash LIMIT 1) b
	LEFT JOIN LATERAL (
		SELECT block, tx, hash, type, reverted, sender, contract
		FROM transactions WHERE chain = %[1]d AND block = b.block AND tx > $3 ORDER BY tx LIMIT %[2]d
	) t ON true`

// TransactionsOfBlocks implements chain.TransactionStore.
func (r Transactions) TransactionsOfBlocks(ctx context.Context, c domain.Chain, blocks []domain.BlockRef, after, limit int) ([][]chain.TxLine, []bool, error) {
	numbers, hashes := make([]int32, len(blocks)), make([][]byte, len(blocks))
	for i := range blocks {
		numbers[i], hashes[i] = int32(blocks[i].Number), blocks[i].Hash[:]
	}
	type row struct {
		N    int64    `bun:"n"`
		Line *lineRow `bun:"embed:"` // nil for a block without transactions
	}
	rows, err := read(ctx, r.db, facts.TableTransactions, func(row *row) model.BlockNumber { return model.BlockNumber(numbers[max(row.N, 1)-1]) },
		repo.Text(transactionsOfBlocks, model.Code(c), repo.RowsFor(limit)), numbers, hashes, int16(after))
	if err != nil {
		return nil, nil, err
	}
	lists, held := make([][]chain.TxLine, len(blocks)), make([]bool, len(blocks))
	for _, row := range rows {
		n := row.N - 1
		held[n] = true
		if row.Line != nil {
			lists[n] = append(lists[n], row.Line.line())
		}
	}
	for _, lines := range lists {
		slices.SortFunc(lines, func(a, b chain.TxLine) int { return cmp.Compare(a.Place.Tx, b.Place.Tx) })
	}
	return lists, held, nil
}

// outlinesByHash finds transactions without their details. It counts events and
// transfers by place.
const outlinesByHash = `/* transaction.outline */
	SELECT p.n, ` + lineColumns + `, ` + selectorColumn + `, t.version, t.calldata, b.hash AS block_hash, b.timestamp,
		(SELECT count(*) FROM events WHERE chain = %[1]d AND block = t.block AND tx = t.tx) AS events,
		(SELECT count(*) FROM transfers WHERE chain = %[1]d AND block = t.block AND tx = t.tx) AS transfers` + locatedTransactions

type outlineRow struct {
	N int64 `bun:"n"`
	lineRow
	Selector  *starknet.Felt `bun:"selector"`
	Version   int64          `bun:"version"`
	Calldata  model.Felts    `bun:"calldata"`
	BlockHash starknet.Felt  `bun:"block_hash"`
	Timestamp int64          `bun:"timestamp"`
	Events    int64          `bun:"events"`
	Transfers int64          `bun:"transfers"`
}

// Outlines implements chain.TransactionStore. It reads calldata row by row and
// does not keep it, because a request can refer to a lot of it.
func (r Transactions) Outlines(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*chain.TxOutline, error) {
	found := make([]*chain.TxOutline, len(hashes))
	err := repo.Each(ctx, r.db.Read(), func(row *outlineRow) error {
		o := &chain.TxOutline{
			TxLine: row.line(), BlockHash: row.BlockHash, Timestamp: uint64(row.Timestamp),
			Events: int(row.Events), Transfers: int(row.Transfers),
		}
		o.Calling(&facts.Transaction{Type: o.Type, Selector: row.Selector, Version: uint64(row.Version), Calldata: row.Calldata})
		found[row.N-1] = o
		return nil
	}, repo.Text(outlinesByHash, model.Code(c)), model.Bytes(hashes))
	return found, damage(err, facts.TableTransactions, nil)
}

// functionNames returns one name per selector, by function_schemas_selector.
const functionNames = `/* function.names */
	SELECT p.n, f.name
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, n)
	CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = p.felt LIMIT 1) s
	CROSS JOIN LATERAL (SELECT name FROM function_schemas WHERE chain = %[1]d AND selector = s.id ORDER BY name LIMIT 1) f`

// FunctionNames implements chain.TransactionStore.
func (r Transactions) FunctionNames(ctx context.Context, c domain.Chain, selectors []starknet.Felt) ([]string, error) {
	type row struct {
		N    int64  `bun:"n"`
		Name string `bun:"name"`
	}
	rows, err := repo.Select[row](ctx, r.db.Read(), repo.Text(functionNames, model.Code(c)), model.Bytes(selectors))
	if err != nil {
		return nil, err
	}
	names := make([]string, len(selectors))
	for _, row := range rows {
		names[row.N-1] = row.Name
	}
	return names, nil
}
