package addresses

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Addresses reads the activity, assets and profiles of addresses.
type Addresses struct{ db *repo.DB }

var _ address.Store = Addresses{}

// NewAddresses returns the repository of addresses.
func NewAddresses(db *repo.DB) Addresses { return Addresses{db} }

// activityNewest reads the newest transactions of addresses up to the position
// ($2, $3), and then the addresses' transfers in them.
//
// involved are the transactions that hold the items of a page: the newest ones,
// until they have enough items. The transaction at the position itself may have
// none left. They are found by activity_…_address, which covers all columns
// that are read. The statement names the chain's partition, because a condition
// on chain would be checked row by row in the table.
//
// The transfers from ($4, $5) on are left out of the transaction at the
// position. Each transaction needs two short scans, of transfers_…_sender and
// transfers_…_receiver; a transfer to oneself is found by its sender.
var activityNewest = `/* address.activity */
	WITH involved AS MATERIALIZED (
		SELECT o.n, w.id, a.block, a.tx, a.kinds
		FROM unnest($1::bytea[]) WITH ORDINALITY AS o (felt, n)
		JOIN addresses w ON w.chain = %[1]d AND w.felt = o.felt
		CROSS JOIN LATERAL (
			SELECT r.block, r.tx, r.kinds, sum(r.items) FILTER (WHERE (r.block, r.tx) <> ($2::integer, $3::smallint)) OVER (
				ORDER BY r.block DESC, r.tx DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
			FROM (
				SELECT block, tx, kinds, items FROM activity_%[1]d
				WHERE address = w.id AND block <= $2 AND (block, tx) <= ($2, $3)
				ORDER BY block DESC, tx DESC LIMIT %[2]d + 1
			) AS r
		) AS a
		WHERE coalesce(a.before, 0) < %[2]d
	)
	SELECT a.n, a.block, a.tx, ` + involvementColumns + `,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = (
			SELECT deployer FROM deployments WHERE chain = %[1]d AND address = a.id AND block = a.block AND tx = a.tx)) AS deployer,
		NULL AS transfer_log, NULL AS transfer_idx, NULL AS transfer_standard, NULL AS transfer_amount, NULL AS transfer_token_id,
		NULL AS transfer_token, NULL AS transfer_sender, NULL AS transfer_receiver
	FROM involved a` + transactionAt + `
	UNION ALL
	SELECT a.n, a.block, a.tx, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		x.log, x.idx, x.standard, x.amount, x.token_id,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = x.token),
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = x.sender),
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = x.receiver)
	FROM involved a
	CROSS JOIN LATERAL (
		SELECT CASE WHEN (a.block, a.tx) = ($2, $3) THEN $4::integer ELSE 32768 END AS log,
			CASE WHEN (a.block, a.tx) = ($2, $3) THEN $5::integer ELSE 0 END AS idx
	) AS below
	CROSS JOIN LATERAL (
		(SELECT log, idx, standard, token, sender, receiver, amount, token_id FROM transfers
		WHERE chain = %[1]d AND sender = a.id AND block = a.block AND tx = a.tx AND (log, idx) < (below.log, below.idx)
		ORDER BY log DESC, idx DESC LIMIT %[2]d)
		UNION ALL
		(SELECT log, idx, standard, token, sender, receiver, amount, token_id FROM transfers
		WHERE chain = %[1]d AND receiver = a.id AND sender <> a.id AND block = a.block AND tx = a.tx AND (log, idx) < (below.log, below.idx)
		ORDER BY log DESC, idx DESC LIMIT %[2]d)
	) AS x
	WHERE a.kinds & ` + strconv.Itoa(int(facts.TransferIn|facts.TransferOut|facts.TransferSelf)) + ` <> 0`

// activityOldest is activityNewest in the opposite order: the oldest
// transactions from the position on.
var activityOldest = strings.NewReplacer(
	"DESC", "ASC", "block <= $2", "block >= $2", "(block, tx) <= ", "(block, tx) >= ",
	"(log, idx) < ", "(log, idx) >= ", "ELSE 32768", "ELSE 0",
	"/* address.activity */", "/* address.activity_from */",
).Replace(activityNewest)

// transactionAt joins the transaction t at position a, by transactions_…_place.
const transactionAt = `
	CROSS JOIN LATERAL (
		SELECT hash, type, version, reverted, sender, contract, selector, calldata FROM transactions
		WHERE chain = %[1]d AND block = a.block AND tx = a.tx LIMIT 1
	) AS t`

// involvementColumns are the columns of involvementRow. Each value of another
// table is one lookup by key. Calldata is read only for transactions with calls
// of an account.
const involvementColumns = `t.hash, a.kinds, t.type, t.version, t.reverted,
	CASE WHEN t.type = 1 AND t.version > 0 THEN t.calldata END AS calldata,
	(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.sender) AS sender,
	(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.contract) AS contract,
	(SELECT timestamp FROM blocks WHERE chain = %[1]d AND block = a.block) AS timestamp`

// involvementRow is the transaction at a position and the address's involvement
// in it.
type involvementRow struct {
	Hash      starknet.Felt         `bun:"hash"`
	Kinds     model.Kinds           `bun:"kinds"`
	Type      model.TransactionType `bun:"type"`
	Version   int64                 `bun:"version"`
	Reverted  bool                  `bun:"reverted"`
	Calldata  *model.Felts          `bun:"calldata"`
	Sender    *starknet.Felt        `bun:"sender"`
	Contract  *starknet.Felt        `bun:"contract"`
	Timestamp *int64                `bun:"timestamp"`
}

// placeRow is the position of a transaction in the list of the Nth address.
type placeRow struct {
	N     int64             `bun:"n"`
	Block model.BlockNumber `bun:"block"`
	Tx    model.Index       `bun:"tx"`
}

func (r *placeRow) place() chain.TxPlace { return chain.TxPlace{Block: uint64(r.Block), Tx: int(r.Tx)} }

func (r *involvementRow) involvement(at chain.TxPlace) (address.Involvement, error) {
	if r.Timestamp == nil {
		return address.Involvement{}, &indexing.DamageError{Table: facts.TableBlocks, Block: &at.Block, What: "the block of a transaction is missing"}
	}
	v := address.Involvement{
		TxPlace: at, Kinds: facts.Kinds(r.Kinds), Timestamp: time.Unix(*r.Timestamp, 0).UTC(),
		Transaction: facts.Transaction{
			Index: at.Tx, Hash: r.Hash, Type: starknet.TransactionType(r.Type), Version: uint64(r.Version), Reverted: r.Reverted,
			Sender: r.Sender, Contract: r.Contract,
		},
	}
	if r.Calldata != nil {
		v.Transaction.Calldata = *r.Calldata
	}
	return v, nil
}

// activityRow is either a transaction or a transfer. The first column of each
// is never NULL, so bun allocates the one that the row has, and reports a NULL
// in a column that must not have one.
type activityRow struct {
	placeRow
	Transaction *activityTransaction `bun:"embed:"`
	Transfer    *activityTransfer    `bun:"embed:transfer_"`
}

type activityTransaction struct {
	involvementRow
	Deployer *starknet.Felt `bun:"deployer"`
}

type activityTransfer struct {
	Log      model.Index       `bun:"log"`
	Idx      model.Index       `bun:"idx"`
	Standard model.Standard    `bun:"standard"`
	Amount   *starknet.Uint256 `bun:"amount"`
	TokenID  *starknet.Uint256 `bun:"token_id"`
	Token    starknet.Felt     `bun:"token"`
	Sender   starknet.Felt     `bun:"sender"`
	Receiver starknet.Felt     `bun:"receiver"`
}

func (r *activityTransfer) transfer(tx int) facts.Transfer {
	return facts.Transfer{
		TxIndex: tx, LogIndex: int(r.Log), Index: int(r.Idx), Standard: facts.Standard(r.Standard),
		Token: r.Token, From: r.Sender, To: r.Receiver, Amount: r.Amount, TokenID: r.TokenID,
	}
}

// ActivityOf implements address.Store.
func (r Addresses) ActivityOf(ctx context.Context, c domain.Chain, owners []starknet.Felt, after address.Place, count int) ([][]address.Involvement, error) {
	return r.activity(ctx, c, activityNewest, owners, after, count)
}

// ActivityFrom implements address.Store.
func (r Addresses) ActivityFrom(ctx context.Context, c domain.Chain, owners []starknet.Felt, from address.Place, count int) ([][]address.Involvement, error) {
	found, err := r.activity(ctx, c, activityOldest, owners, from, count)
	for _, list := range found {
		slices.Reverse(list)
	}
	return found, err
}

// activity reads the activity of addresses before or after a position. The
// newest transaction comes first in both cases.
func (r Addresses) activity(ctx context.Context, c domain.Chain, statement string, owners []starknet.Felt, place address.Place, count int) ([][]address.Involvement, error) {
	log, idx := place.LogIndex, place.Index
	if place.Step < address.StepTransfer {
		log, idx = 0, 0
	}
	rows, err := repo.Select[activityRow](ctx, r.db.Read(), repo.Text(statement, model.Code(c), repo.RowsFor(count-1)),
		model.Bytes(owners), model.ClipBlock(place.Block), place.Tx, log, idx)
	if err != nil {
		return nil, err
	}
	lists, err := repo.ByParent(rows, len(owners), func(row *activityRow) (int64, *activityRow, error) { return row.N, row, nil })
	if err != nil {
		return nil, err
	}
	found := make([][]address.Involvement, len(owners))
	for i, list := range lists {
		if found[i], err = involvements(list); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// involvements adds the transfers of one address to its transactions, the
// newest transaction and the last transfer first.
func involvements(rows []*activityRow) ([]address.Involvement, error) {
	transfers := make(map[chain.TxPlace][]facts.Transfer)
	for _, row := range rows {
		if row.Transfer != nil {
			transfers[row.place()] = append(transfers[row.place()], row.Transfer.transfer(int(row.Tx)))
		}
	}
	var found []address.Involvement
	for _, row := range rows {
		if row.Transaction == nil {
			continue
		}
		v, err := row.Transaction.involvement(row.place())
		if err != nil {
			return nil, err
		}
		v.Deployer, v.Transfers = row.Transaction.Deployer, transfers[v.TxPlace]
		slices.SortFunc(v.Transfers, func(a, b facts.Transfer) int {
			return cmp.Or(cmp.Compare(b.LogIndex, a.LogIndex), cmp.Compare(b.Index, a.Index))
		})
		found = append(found, v)
	}
	sortNewestFirst(found)
	return found, nil
}

func sortNewestFirst(list []address.Involvement) {
	slices.SortFunc(list, func(a, b address.Involvement) int {
		return cmp.Or(cmp.Compare(b.Block, a.Block), cmp.Compare(b.Tx, a.Tx))
	})
}

// transactionsNewest uses activity_…_address. The first called entry point is a
// column of the transaction or is in the calldata, at the same position in both
// encodings; its name comes from function_schemas_selector.
const transactionsNewest = `/* address.transactions */
	SELECT o.n, a.block, a.tx, ` + involvementColumns + `,
		(SELECT felt FROM selectors WHERE chain = %[1]d AND id = t.selector) AS selector,
		(SELECT name FROM function_schemas WHERE chain = %[1]d AND selector = coalesce(t.selector,
			(SELECT id FROM selectors WHERE chain = %[1]d AND t.type = 1 AND felt = substr(t.calldata, 65, 32))) ORDER BY name LIMIT 1) AS method,
		(SELECT count(*) FROM transfers_%[1]d WHERE block = a.block AND tx = a.tx) AS transfers
	FROM unnest($1::bytea[]) WITH ORDINALITY AS o (felt, n)
	JOIN addresses w ON w.chain = %[1]d AND w.felt = o.felt
	CROSS JOIN LATERAL (
		SELECT block, tx, kinds FROM activity_%[1]d
		WHERE address = w.id AND block <= $2 AND (block, tx) < ($2::integer, $3::smallint)
		ORDER BY block DESC, tx DESC LIMIT %[2]d
	) AS a` + transactionAt

type transactionRow struct {
	placeRow
	involvementRow
	Selector  *starknet.Felt `bun:"selector"`
	Method    *string        `bun:"method"`
	Transfers int64          `bun:"transfers"`
}

// TransactionsOf implements address.Store.
func (r Addresses) TransactionsOf(ctx context.Context, c domain.Chain, owners []starknet.Felt, below chain.TxPlace, count int) ([][]address.Involvement, error) {
	rows, err := repo.Select[transactionRow](ctx, r.db.Read(), repo.Text(transactionsNewest, model.Code(c), repo.RowsFor(count-1)),
		model.Bytes(owners), model.ClipBlock(below.Block), below.Tx)
	if err != nil {
		return nil, err
	}
	found, err := repo.ByParent(rows, len(owners), func(row *transactionRow) (int64, address.Involvement, error) {
		v, err := row.involvement(row.place())
		v.Transaction.Selector, v.TransferCount = row.Selector, int(row.Transfers)
		if row.Method != nil {
			v.Method = *row.Method
		}
		return row.N, v, err
	})
	for _, list := range found {
		sortNewestFirst(list)
	}
	return found, err
}
