package repo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// involved are the transactions a of the addresses w, numbered n, that hold the
// items of a page after the place ($2, $3): the newest ones, until those before
// have enough items. The transaction at the place itself may have none left.
// It follows activity_*_address, which covers everything that it reads. It asks
// the chain's own partition by its name: a condition on chain is checked row by
// row, in the table.
const involved = `
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
	) AS a`

// transactionOf is the transaction t of a place a, by transactions_*_place.
const transactionOf = `
	CROSS JOIN LATERAL (
		SELECT hash, type, version, reverted, sender, contract, selector, calldata FROM transactions
		WHERE chain = %[1]d AND block = a.block AND tx = a.tx LIMIT 1
	) AS t`

// shownInvolvement are the columns of a transaction t at a place a. Each value
// from elsewhere is one probe of a key. Calldata is read only where an account
// makes calls.
const shownInvolvement = `o.n, a.block, a.tx, a.kinds, t.hash, t.type, t.version, t.reverted,
	CASE WHEN t.type = 1 AND t.version > 0 THEN t.calldata END,
	(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.sender),
	(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.contract),
	(SELECT timestamp FROM blocks WHERE chain = %[1]d AND block = a.block)`

const activityStatement = `/* address.activity */
	SELECT ` + shownInvolvement + `,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = (
			SELECT deployer FROM deployments WHERE chain = %[1]d AND address = w.id AND block = a.block AND tx = a.tx))` +
	involved + transactionOf + `
	WHERE coalesce(a.before, 0) < %[2]d`

// activityTransfers reads the address' own transfers in these transactions,
// those from ($4, $5) on left out of the one at the place: two short walks along
// transfers_*_sender and transfers_*_receiver for each transaction. A transfer to
// oneself is found by its sender.
const activityTransfers = `/* address.activity_transfers */
	SELECT o.n, a.block, a.tx, x.log, x.idx, x.standard, x.amount, x.token_id,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = x.token),
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = x.sender),
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = x.receiver)` + involved + `
	CROSS JOIN LATERAL (
		SELECT CASE WHEN (a.block, a.tx) = ($2, $3) THEN $4::integer ELSE 32768 END AS log,
			CASE WHEN (a.block, a.tx) = ($2, $3) THEN $5::integer ELSE 0 END AS idx
	) AS below
	CROSS JOIN LATERAL (
		(SELECT log, idx, standard, token, sender, receiver, amount, token_id FROM transfers
		WHERE chain = %[1]d AND sender = w.id AND block = a.block AND tx = a.tx AND (log, idx) < (below.log, below.idx)
		ORDER BY log DESC, idx DESC LIMIT %[2]d)
		UNION ALL
		(SELECT log, idx, standard, token, sender, receiver, amount, token_id FROM transfers
		WHERE chain = %[1]d AND receiver = w.id AND sender <> w.id AND block = a.block AND tx = a.tx AND (log, idx) < (below.log, below.idx)
		ORDER BY log DESC, idx DESC LIMIT %[2]d)
	) AS x
	WHERE coalesce(a.before, 0) < %[2]d AND a.kinds & %[3]d <> 0`

// anyTransfer are the kinds of activity that come from transfers.
const anyTransfer = facts.TransferIn | facts.TransferOut | facts.TransferSelf

// ActivityOf implements address.Store.
func (db *DB) ActivityOf(ctx context.Context, c domain.Chain, owners []starknet.Felt, after address.Place, count int) ([][]address.Involvement, error) {
	found, err := db.activity(ctx, c, owners, after, count, strings.NewReplacer())
	return newestInvolved(found), err
}

// oldestFirst turns the statements of activity round: from the place on, the
// oldest transactions first.
var oldestFirst = strings.NewReplacer(
	"DESC", "ASC", "block <= $2", "block >= $2", "(block, tx) <= ", "(block, tx) >= ",
	"(log, idx) < ", "(log, idx) >= ", "ELSE 32768", "ELSE 0",
	"/* address.activity", "/* address.activity_from")

// ActivityFrom implements address.Store.
func (db *DB) ActivityFrom(ctx context.Context, c domain.Chain, owners []starknet.Felt, from address.Place, count int) ([][]address.Involvement, error) {
	found, err := db.activity(ctx, c, owners, from, count, oldestFirst)
	for _, list := range newestInvolved(found) {
		slices.Reverse(list)
	}
	return found, err
}

// activity reads what addresses did up to a place, or from it on where turned
// turns the statements round.
func (db *DB) activity(ctx context.Context, c domain.Chain, owners []starknet.Felt, place address.Place, count int, turned *strings.Replacer) ([][]address.Involvement, error) {
	enough, felts := rowsFor(count-1), feltBytes(owners)
	log, idx := place.LogIndex, place.Index
	if place.Step < address.StepTransfer {
		log, idx = 0, 0
	}
	var (
		txs       []child[address.Involvement]
		transfers []child[placedTransfer]
	)
	err := db.look(ctx, func(b *pgx.Batch) {
		b.Queue(turned.Replace(fmt.Sprintf(activityStatement, chainCode(c), enough)), felts, int64(place.Block), place.Tx).Query(func(rows pgx.Rows) (err error) {
			txs, err = pgx.CollectRows(rows, scanActivity)
			return err
		})
		b.Queue(turned.Replace(fmt.Sprintf(activityTransfers, chainCode(c), enough, anyTransfer)), felts, int64(place.Block), place.Tx, log, idx).Query(func(rows pgx.Rows) (err error) {
			transfers, err = pgx.CollectRows(rows, scanPlacedTransfer)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	found := ofParents(txs, len(owners))
	for i, list := range ofParents(transfers, len(owners)) {
		giveTransfers(found[i], list)
	}
	return found, nil
}

// newestInvolved orders the transactions of each address.
func newestInvolved(lists [][]address.Involvement) [][]address.Involvement {
	for _, list := range lists {
		slices.SortFunc(list, func(a, b address.Involvement) int {
			return cmp.Or(cmp.Compare(b.Block, a.Block), cmp.Compare(b.Tx, a.Tx))
		})
	}
	return lists
}

// giveTransfers gives transactions their transfers, the last one first.
func giveTransfers(txs []address.Involvement, transfers []placedTransfer) {
	slices.SortFunc(transfers, func(a, b placedTransfer) int {
		return cmp.Or(cmp.Compare(b.LogIndex, a.LogIndex), cmp.Compare(b.Index, a.Index))
	})
	places := make(map[chain.TxPlace]*address.Involvement, len(txs))
	for i := range txs {
		places[txs[i].TxPlace] = &txs[i]
	}
	for i := range transfers {
		if tx := places[transfers[i].place]; tx != nil {
			tx.Transfers = append(tx.Transfers, transfers[i].Transfer)
		}
	}
}

func scanActivity(row pgx.CollectableRow) (child[address.Involvement], error) {
	return scanInvolvement(row, func(f *fields, v *address.Involvement) { v.Deployer = f.feltOrNil() })
}

// scanInvolvement reads the columns of shownInvolvement, and more.
func scanInvolvement(row pgx.CollectableRow, more func(*fields, *address.Involvement)) (child[address.Involvement], error) {
	f, err := collectFields(row)
	if err != nil {
		return child[address.Involvement]{}, err
	}
	found := child[address.Involvement]{parent: int(f.int8())}
	v := &found.row
	v.Block, v.Tx, v.Kinds = uint64(f.int4()), f.int2(), facts.Kinds(f.int2())
	tx := &v.Transaction
	tx.Index, tx.Hash, tx.Type, tx.Version, tx.Reverted = v.Tx, f.felt(), oneOf(&f, transactionTypes), uint64(f.int2()), f.bool()
	tx.Calldata, tx.Sender, tx.Contract = f.felts(0), f.feltOrNil(), f.feltOrNil()
	v.Timestamp = time.Unix(f.int8(), 0).UTC()
	more(&f, v)
	if f.bad {
		return found, damaged(facts.TableActivity, v.Block, "a value is malformed, or its transaction is missing")
	}
	return found, nil
}

// placedTransfer is a transfer with the place of its transaction.
type placedTransfer struct {
	place chain.TxPlace
	facts.Transfer
}

func scanPlacedTransfer(row pgx.CollectableRow) (child[placedTransfer], error) {
	f, err := collectFields(row)
	if err != nil {
		return child[placedTransfer]{}, err
	}
	found := child[placedTransfer]{parent: int(f.int8())}
	t := &found.row
	t.place = chain.TxPlace{Block: uint64(f.int4()), Tx: f.int2()}
	t.TxIndex, t.LogIndex, t.Index, t.Standard = t.place.Tx, f.int2(), f.int2(), oneOf(&f, standards)
	t.Amount, t.TokenID = (*starknet.Uint256)(f.number()), (*starknet.Uint256)(f.number())
	t.Token, t.From, t.To = f.felt(), f.felt(), f.felt()
	if f.bad {
		return found, damaged(facts.TableTransfers, t.place.Block, "a value is malformed, or an id is in no dictionary")
	}
	return found, nil
}
