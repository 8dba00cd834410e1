package accounts

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// KeyChanges is the channel that announces the public ids of changed or revoked
// keys.
const KeyChanges = "account_keys"

// Keys stores API keys.
type Keys struct{ db *repo.DB }

var _ account.KeyStore = Keys{}

// NewKeys returns the repository of API keys.
func NewKeys(db *repo.DB) Keys { return Keys{db} }

// keyRow is a key with what its workspace is entitled to.
type keyRow struct {
	model.APIKey   `bun:",extend"`
	Plan           account.Plan `bun:"plan,scanonly"`
	TraceCertified bool         `bun:"trace_certified,scanonly"`
}

// selectKeys starts a query for keys.
func selectKeys(on bun.IDB, rows any, name string) *bun.SelectQuery {
	return on.NewSelect().Model(rows).Comment(name).ColumnExpr("?TableColumns, w.plan, w.trace_certified").
		Join("JOIN workspaces AS w ON w.id = k.workspace")
}

// FindKey implements account.KeyStore, by the primary keys of both tables.
func (r Keys) FindKey(ctx context.Context, publicID string) (account.Key, error) {
	var row keyRow
	err := selectKeys(r.db.Write(), &row, "key.find").Where("k.public_id = ?", publicID).Scan(ctx)
	return row.key(), repo.Failure(ctx, absentKey(err))
}

// ListKeys implements account.KeyStore, by api_keys_of_workspace.
func (r Keys) ListKeys(ctx context.Context, workspace string, limit int) ([]account.Key, error) {
	var rows []keyRow
	err := selectKeys(r.db.Write(), &rows, "key.list").Where("k.workspace = ?", workspace).
		OrderExpr("(k.revoked_at IS NOT NULL), k.created_at DESC, k.public_id").Limit(int64(limit)).Scan(ctx)
	keys := make([]account.Key, len(rows))
	for i := range rows {
		keys[i] = rows[i].key()
	}
	return keys, repo.Failure(ctx, err)
}

// AddKey implements account.KeyStore.
func (r Keys) AddKey(ctx context.Context, k account.Key, entry account.Entry) error {
	err := r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return addKey(ctx, tx, k, entry) })
	return repo.Failure(ctx, absentWorkspace(err))
}

func addKey(ctx context.Context, tx bun.Tx, k account.Key, entry account.Entry) error {
	row := model.APIKey{
		PublicID: k.PublicID, Workspace: k.Workspace, Environment: k.Environment, Label: k.Label, Permissions: k.Permissions,
		Budgets: k.Budgets, IsDefault: k.Default, Hash: k.Hash, PepperGeneration: int64(k.Pepper),
		CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt,
	}
	if _, err := tx.NewInsert().Model(&row).Comment("key.add").ExcludeColumn("revoked_at", "last_used_at").Exec(ctx); err != nil {
		return err
	}
	return appendAudit(ctx, tx, entry)
}

// ReplaceDefaultKey implements account.KeyStore. The lock on the workspace
// serialises concurrent rotations.
func (r Keys) ReplaceDefaultKey(ctx context.Context, k account.Key, entry account.Entry, by account.Actor, until time.Time, rotate account.Rotating) (revoked []string, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewSelect().Model((*model.Workspace)(nil)).Comment("key.queue").Column("id").
			Where("id = ?", k.Workspace).For("NO KEY UPDATE").Exec(ctx); err != nil {
			return err
		}
		// The keys of one workspace, by api_keys_of_workspace.
		today, err := tx.NewSelect().Model((*model.APIKey)(nil)).Comment("key.today").
			Where("workspace = ? AND is_default AND created_at >= ?", k.Workspace, account.Day(k.CreatedAt)).Count(ctx)
		if err != nil {
			return err
		}
		if err := rotate(int(today)); err != nil {
			return err
		}
		if revoked, err = retireDefault(ctx, tx, k, by, until); err != nil {
			return err
		}
		return addKey(ctx, tx, k, entry)
	})
	return revoked, repo.Failure(ctx, absentWorkspace(err))
}

// retireDefault revokes the default keys that k replaces at a time, unless they
// are revoked before. A key that was replaced is still valid only if it is
// revoked after the newest key was made. They are keys of one workspace, by
// api_keys_of_workspace.
func retireDefault(ctx context.Context, tx bun.Tx, k account.Key, by account.Actor, until time.Time) (revoked []string, err error) {
	newest := tx.NewSelect().Model((*model.APIKey)(nil)).ColumnExpr("max(k.created_at)").Where("k.workspace = ? AND k.is_default", k.Workspace)
	err = tx.NewUpdate().Model((*model.APIKey)(nil)).Comment("key.retire").Set("revoked_at = ?", until).
		Where("workspace = ? AND is_default AND (revoked_at IS NULL OR revoked_at > ? AND revoked_at > (?))", k.Workspace, until, newest).
		Returning("public_id").Scan(ctx, &revoked)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	for _, id := range revoked {
		if err := repo.Notify(ctx, tx, KeyChanges, id); err != nil {
			return nil, err
		}
		if err := appendAudit(ctx, tx, account.KeyReplaced(k, id, by, until)); err != nil {
			return nil, err
		}
	}
	return revoked, nil
}

// RevokeKey implements account.KeyStore.
func (r Keys) RevokeKey(ctx context.Context, workspace, publicID string, by account.Actor, at time.Time) (account.Key, error) {
	return r.change(ctx, workspace, publicID, func(ctx context.Context, tx bun.Tx, k *account.Key) error {
		if k.RevokedAt != nil && !k.RevokedAt.After(at) {
			return nil
		}
		k.RevokedAt = &at
		if _, err := tx.NewUpdate().Model((*model.APIKey)(nil)).Comment("key.revoke").Set("revoked_at = ?", at).
			Where("public_id = ?", publicID).Exec(ctx); err != nil {
			return err
		}
		return appendAudit(ctx, tx, account.KeyRevoked(k.Workspace, publicID, by, at))
	})
}

// GrantKey implements account.KeyStore.
func (r Keys) GrantKey(ctx context.Context, publicID string, by account.Actor, at time.Time, grant account.Granting) (account.Key, error) {
	return r.change(ctx, "", publicID, func(ctx context.Context, tx bun.Tx, k *account.Key) error {
		all, added, err := grant(*k)
		if err != nil || len(added) == 0 {
			return err
		}
		k.Permissions = all
		if _, err := tx.NewUpdate().Model((*model.APIKey)(nil)).Comment("key.grant").Set("permissions = ?", pgdialect.Array(all)).
			Where("public_id = ?", publicID).Exec(ctx); err != nil {
			return err
		}
		return appendAudit(ctx, tx, account.KeyGranted(*k, added, by, at))
	})
}

// change locks one key of a workspace, or of any workspace if that is empty,
// changes it and notifies every process. It does not wait for locks on keys of
// other workspaces.
func (r Keys) change(ctx context.Context, workspace, publicID string, change func(context.Context, bun.Tx, *account.Key) error) (k account.Key, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var row keyRow
		if err := selectKeys(tx, &row, "key.find").Where("k.public_id = ? AND ? IN (k.workspace, '')", publicID, workspace).
			For("UPDATE OF k").Scan(ctx); err != nil {
			return absentKey(err)
		}
		k = row.key()
		if err := change(ctx, tx, &k); err != nil {
			return err
		}
		return repo.Notify(ctx, tx, KeyChanges, publicID)
	})
	if err != nil {
		return account.Key{}, repo.Failure(ctx, err)
	}
	return k, nil
}

// RecordUse implements account.KeyStore. It skips keys that another process is
// changing or recording: either time of use is good enough.
func (r Keys) RecordUse(ctx context.Context, uses map[string]time.Time) error {
	ids, times := unzip(uses)
	_, err := r.db.Write().NewRaw(`/* key.use */
		UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, used.at)
		FROM (
			SELECT a.public_id, u.at FROM unnest(?::text[], ?::timestamptz[]) AS u (id, at)
			JOIN api_keys a ON a.public_id = u.id
			FOR NO KEY UPDATE OF a SKIP LOCKED
		) used
		WHERE k.public_id = used.public_id`, pgdialect.Array(ids), pgdialect.Array(times)).Exec(ctx)
	return repo.Failure(ctx, err)
}

func unzip(uses map[string]time.Time) (ids []string, times []time.Time) {
	for id, at := range uses {
		ids, times = append(ids, id), append(times, at)
	}
	return ids, times
}

// ForgetKeys deletes at most most keys that were revoked before a time, by
// api_keys_revoked. The audit log still shows that they existed.
func (r Keys) ForgetKeys(ctx context.Context, before time.Time, most int) (forgotten int, err error) {
	return repo.Changed(r.db.Write().NewRaw(forgetKeys, before, most).Exec(ctx))
}

const forgetKeys = `/* key.forget */
	DELETE FROM api_keys WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM api_keys WHERE revoked_at < ? ORDER BY revoked_at LIMIT ?))`

func (r *keyRow) key() account.Key {
	return account.Key{
		PublicID: r.PublicID, Workspace: r.Workspace, Plan: r.Plan, TraceCertified: r.TraceCertified, Environment: r.Environment, Label: r.Label,
		Permissions: r.Permissions, Budgets: r.Budgets, Default: r.IsDefault, Hash: r.Hash, Pepper: uint32(r.PepperGeneration),
		CreatedAt: r.CreatedAt.UTC(), ExpiresAt: utc(r.ExpiresAt), RevokedAt: utc(r.RevokedAt), LastUsedAt: utc(r.LastUsedAt),
	}
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC())
}

// absentKey converts sql.ErrNoRows to not_found.
func absentKey(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Errorf(domain.CodeNotFound, "The API key does not exist.")
	}
	return err
}
