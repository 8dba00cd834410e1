package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/starknet"
)

// Verifications implements verify.Store.
func (db *DB) Verifications(ctx context.Context, c domain.Chain, classes []starknet.Felt) ([]*verify.Record, error) {
	list := make([]*verify.Record, len(classes))
	_, err := collect(ctx, db, func(row pgx.CollectableRow) (struct{}, error) {
		var (
			parent int
			record verify.Record
		)
		err := row.Scan(&parent, &record.ReceiptID, &record.IssuedAt, &record.KeyID, &record.ReceiptDigest)
		if err == nil {
			record.Class, record.IssuedAt = classes[parent-1], record.IssuedAt.UTC()
			list[parent-1] = &record
		}
		return struct{}{}, err
	}, verificationsStatement(c), feltBytes(classes))
	return list, err
}

// verificationsStatement reads the last row of each class along the primary
// key.
func verificationsStatement(c domain.Chain) string {
	return fmt.Sprintf(`/* verification.of */
		SELECT p.parent, v.receipt_id, v.issued_at, v.key_id, v.receipt_digest
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (class, parent)
		CROSS JOIN LATERAL (
			SELECT receipt_id, issued_at, key_id, receipt_digest FROM verifications
			WHERE chain = %d AND class = p.class ORDER BY receipt_id DESC LIMIT 1
		) v`, chainCode(c))
}
