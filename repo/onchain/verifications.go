package onchain

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Verifications reads the verification records of classes.
type Verifications struct{ db *repo.DB }

var _ verify.Store = Verifications{}

// NewVerifications returns the repository of verification records.
func NewVerifications(db *repo.DB) Verifications { return Verifications{db} }

// verificationsOfClasses reads the last row of each class whose key was not
// revoked, by the primary keys: no receipt of a revoked key is valid.
const verificationsOfClasses = `/* verification.of */
	SELECT p.parent, v.receipt_id, v.issued_at, v.key_id, v.receipt_digest
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (class, parent)
	CROSS JOIN LATERAL (
		SELECT receipt_id, issued_at, key_id, receipt_digest FROM verifications
		WHERE chain = %[1]d AND class = p.class
			AND (SELECT revoked_at FROM verification_keys k WHERE k.key_id = verifications.key_id) IS NULL
		ORDER BY receipt_id DESC LIMIT 1
	) v`

// Verifications implements verify.Store.
func (r Verifications) Verifications(ctx context.Context, c domain.Chain, classes []starknet.Felt) ([]*verify.Record, error) {
	type row struct {
		Parent int64 `bun:"parent"`
		model.Verification
	}
	rows, err := repo.Select[row](ctx, r.db.Read(), repo.Text(verificationsOfClasses, model.Code(c)), model.Bytes(classes))
	if err != nil {
		return nil, err
	}
	list := make([]*verify.Record, len(classes))
	for _, row := range rows {
		list[row.Parent-1] = &verify.Record{
			Class: classes[row.Parent-1], ReceiptID: uint64(row.ReceiptID), IssuedAt: row.IssuedAt.UTC(),
			KeyID: row.KeyID, ReceiptDigest: row.ReceiptDigest,
		}
	}
	return list, nil
}
