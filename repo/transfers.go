package repo

import (
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// shownTransfer are the columns of a transfer t as readers see it, with its
// token's metadata m. Each value from elsewhere is looked up by a key: that
// way no plan can read a whole dictionary for a page.
const shownTransfer = `t.block, t.tx, t.log, t.idx, t.standard, t.amount, t.token_id,
	(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.token),
	(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.sender),
	(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.receiver),
	(SELECT timestamp FROM blocks WHERE chain = %[1]d AND block = t.block),
	(SELECT hash FROM transactions WHERE chain = %[1]d AND block = t.block AND tx = t.tx),
	m.name, m.symbol, m.decimals`

// allTransfersOfTransactions follows the index transfers_place of each block's
// range. It is for the parts of a transaction, which are read with it; lists of
// transfers are those of repo/tokens.
const allTransfersOfTransactions = `/* transfer.of_transactions */
	SELECT p.parent, ` + shownTransfer + `
	FROM unnest($1::integer[], $2::smallint[]) WITH ORDINALITY AS p (block, tx, parent)
	CROSS JOIN LATERAL (
		SELECT block, tx, log, idx, standard, token, sender, receiver, amount, token_id
		FROM transfers WHERE chain = %[1]d AND block = p.block AND tx = p.tx AND (log, idx) > ($3, $4)
		ORDER BY log, idx
	) t
	LEFT JOIN LATERAL (
		SELECT name, symbol, decimals FROM tokens WHERE chain = %[1]d AND address = t.token LIMIT 1
	) m ON true
	ORDER BY p.parent, t.log, t.idx`

// childTransfer reads the number of a parent and the columns of
// shownTransfer.
func childTransfer(row pgx.CollectableRow) (child[token.Transfer], error) {
	f, err := collectFields(row)
	if err != nil {
		return child[token.Transfer]{}, err
	}
	parent := int(f.int8())
	t := token.Transfer{Block: uint64(f.int4()), Tx: f.int2(), Log: f.int2(), Index: f.int2(), Standard: oneOf(&f, standards)}
	t.Amount, t.TokenID = (*starknet.Uint256)(f.number()), (*starknet.Uint256)(f.number())
	t.Token, t.From, t.To = f.felt(), f.felt(), f.felt()
	t.Time = time.Unix(f.int8(), 0).UTC()
	t.TxHash = f.felt()
	t.Metadata = token.Metadata{Name: f.textOrNil(), Symbol: f.textOrNil(), Decimals: f.byteOrNil()}
	if f.bad {
		return child[token.Transfer]{}, damaged("transfers", t.Block, "a value is malformed or missing")
	}
	return child[token.Transfer]{parent, t}, nil
}

// child is a row that was found for one of several parents.
type child[T any] struct {
	parent int // from 1 on, as Postgres counts
	row    T
}

// ofParents gives each of n parents its rows, in their order.
func ofParents[T any](children []child[T], n int) [][]T {
	lists := make([][]T, n)
	for i := range children {
		list := &lists[children[i].parent-1]
		*list = append(*list, children[i].row)
	}
	return lists
}
