package verify

import (
	"context"
	"database/sql"
	"errors"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Receipts reads receipts and the keys that sign them.
type Receipts struct{ db *repo.DB }

var _ verify.ReceiptStore = Receipts{}

// NewReceipts returns the repository of receipts.
func NewReceipts(db *repo.DB) Receipts { return Receipts{db} }

// Receipt implements verify.ReceiptStore, by the unique key of the job.
func (r Receipts) Receipt(ctx context.Context, job string) ([]byte, error) {
	var body []byte
	err := r.db.Write().NewSelect().Model((*model.VerificationReceipt)(nil)).Comment("verification.receipt").Column("body").Where("job = ?", job).Scan(ctx, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return body, repo.Failure(ctx, err)
}

// SigningKeys implements verify.ReceiptStore. The table has a row for each key.
func (r Receipts) SigningKeys(ctx context.Context) ([]receipt.Key, error) {
	var rows []model.VerificationKey
	if err := r.db.Write().NewSelect().Model(&rows).Comment("verification.keys").Order("not_before", "key_id").Scan(ctx); err != nil {
		return nil, repo.Failure(ctx, err)
	}
	keys := make([]receipt.Key, len(rows))
	for i, row := range rows {
		keys[i] = receipt.Key{
			ID: row.KeyID, PublicKey: row.PublicKey, Environment: receipt.Environment(row.Environment),
			Toolchain: receipt.Toolchain{Name: row.ToolchainName, Version: row.ToolchainVersion, Digest: row.ToolchainDigest},
			NotBefore: row.NotBefore.UTC(), NotAfter: utc(row.NotAfter), RevokedAt: utc(row.RevokedAt),
		}
	}
	return keys, nil
}
