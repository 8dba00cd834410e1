package verify

import (
	"context"

	"github.com/uptrace/bun"

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

// Receipts implements verify.ReceiptStore, by the unique key of the job.
func (r Receipts) Receipts(ctx context.Context, jobs []string) ([][]byte, error) {
	var rows []model.VerificationReceipt
	err := r.db.Write().NewSelect().Model(&rows).Comment("verification.receipts").Column("job", "body").Where("job IN (?)", bun.List(jobs)).Scan(ctx)
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	bodies := make(map[string][]byte, len(rows))
	for _, row := range rows {
		bodies[row.Job] = []byte(row.Body)
	}
	found := make([][]byte, len(jobs))
	for i, job := range jobs {
		found[i] = bodies[job]
	}
	return found, nil
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
