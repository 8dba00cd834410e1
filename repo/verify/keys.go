package verify

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Keys stores the public halves of signing keys.
type Keys struct{ db *repo.DB }

var _ verify.KeyStore = Keys{}

// NewKeys returns the repository of signing keys.
func NewKeys(db *repo.DB) Keys { return Keys{db} }

// RegisterKey implements verify.KeyRegister. The key is valid from the earlier of
// the controller's and the database's time on, because receipts are dated so.
func (r Admissions) RegisterKey(ctx context.Context, key receipt.Key) (receipt.Key, error) {
	row := model.VerificationKey{
		KeyID: key.ID, PublicKey: key.PublicKey, Environment: string(key.Environment),
		ToolchainName: key.Toolchain.Name, ToolchainVersion: key.Toolchain.Version, ToolchainDigest: key.Toolchain.Digest, NotBefore: key.NotBefore,
	}
	_, err := r.db.Write().NewInsert().Model(&row).Comment("verification.key_register").
		Value("not_before", "least(?, date_trunc('milliseconds', clock_timestamp()))", key.NotBefore).ExcludeColumn("not_after", "revoked_at").On("CONFLICT (key_id) DO NOTHING").Exec(ctx)
	if err != nil {
		return receipt.Key{}, repo.Failure(ctx, err)
	}
	stored, err := keyOf(ctx, r.db.Write(), key.ID)
	if err != nil {
		return receipt.Key{}, repo.Failure(ctx, err)
	}
	return *stored, nil
}

// SigningKeys implements verify.KeyStore. There are few keys.
func (r Keys) SigningKeys(ctx context.Context) ([]receipt.Key, error) {
	var rows []model.VerificationKey
	if err := r.db.Write().NewSelect().Model(&rows).Comment("verification.keys").Order("not_before", "key_id").Scan(ctx); err != nil {
		return nil, repo.Failure(ctx, err)
	}
	keys := make([]receipt.Key, len(rows))
	for i := range rows {
		keys[i] = *keyFrom(&rows[i])
	}
	return keys, nil
}

// EndKey implements verify.KeyStore. It waits for admissions and for the log: a
// receipt or a checkpoint is signed before the end, or sees it.
func (r Keys) EndKey(ctx context.Context, id string, end verify.KeyEnd, at time.Time) (key *receipt.Key, err error) {
	column := map[verify.KeyEnd]string{verify.RetireKey: "not_after", verify.RevokeKey: "revoked_at"}[end]
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := lockReceipts(ctx, tx); err != nil {
			return err
		}
		if err := lockLog(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.NewRaw(`/* verification.key_end */
			UPDATE verification_keys k SET ?2 = greatest(?1, k.not_before, (SELECT max(issued_at) FROM verification_receipts r WHERE r.key_id = k.key_id),
				(SELECT signed_at FROM verification_log_checkpoints ORDER BY size DESC LIMIT 1))
			WHERE k.key_id = ?0 AND k.?2 IS NULL`, id, at, bun.Ident(column)).Exec(ctx); err != nil {
			return err
		}
		if end == verify.RevokeKey { // ends the public records of its receipts, which are cached
			for _, c := range domain.Chains {
				if err := repo.AdvanceEpoch(ctx, tx, c); err != nil {
					return err
				}
			}
		}
		key, err = keyOf(ctx, tx, id)
		return err
	})
	return key, repo.Failure(ctx, err)
}

// keyOf returns a key by the primary key, nil if there is none.
func keyOf(ctx context.Context, on bun.IDB, id string) (*receipt.Key, error) {
	var row model.VerificationKey
	err := on.NewSelect().Model(&row).Comment("verification.key").Where("key_id = ?", id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return keyFrom(&row), nil
}

func keyFrom(row *model.VerificationKey) *receipt.Key {
	return &receipt.Key{
		ID: row.KeyID, PublicKey: row.PublicKey, Environment: receipt.Environment(row.Environment),
		Toolchain: receipt.Toolchain{Name: row.ToolchainName, Version: row.ToolchainVersion, Digest: row.ToolchainDigest},
		NotBefore: row.NotBefore.UTC(), NotAfter: utc(row.NotAfter), RevokedAt: utc(row.RevokedAt),
	}
}
