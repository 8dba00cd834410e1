package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// addressTransactions follows activity_*_address. The entry point that is called
// first is the transaction's own, or stands in the calldata at the same place in
// both forms; its name is that of function_schemas_selector.
const addressTransactions = `/* address.transactions */
	SELECT ` + shownInvolvement + `,
		(SELECT felt FROM selectors WHERE chain = %[1]d AND id = t.selector),
		(SELECT name FROM function_schemas WHERE chain = %[1]d AND selector = coalesce(t.selector,
			(SELECT id FROM selectors WHERE chain = %[1]d AND t.type = 1 AND felt = substr(t.calldata, 65, 32))) ORDER BY name LIMIT 1),
		(SELECT count(*) FROM transfers_%[1]d WHERE block = a.block AND tx = a.tx)
	FROM unnest($1::bytea[]) WITH ORDINALITY AS o (felt, n)
	JOIN addresses w ON w.chain = %[1]d AND w.felt = o.felt
	CROSS JOIN LATERAL (
		SELECT block, tx, kinds FROM activity_%[1]d
		WHERE address = w.id AND block <= $2 AND (block, tx) < ($2::integer, $3::smallint)
		ORDER BY block DESC, tx DESC LIMIT %[2]d
	) AS a` + transactionOf

// TransactionsOf implements address.Store.
func (db *DB) TransactionsOf(ctx context.Context, c domain.Chain, owners []starknet.Felt, below chain.TxPlace, count int) ([][]address.Involvement, error) {
	found, err := collect(ctx, db, scanAddressTransaction, fmt.Sprintf(addressTransactions, chainCode(c), rowsFor(count-1)),
		feltBytes(owners), int64(below.Block), below.Tx)
	if err != nil {
		return nil, err
	}
	return newestInvolved(ofParents(found, len(owners))), nil
}

func scanAddressTransaction(row pgx.CollectableRow) (child[address.Involvement], error) {
	return scanInvolvement(row, func(f *fields, v *address.Involvement) {
		v.Transaction.Selector, v.Method, v.TransferCount = f.feltOrNil(), string(f.bytes()), int(f.int8())
	})
}
