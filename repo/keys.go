package repo

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// KeyChanges is the channel that tells the public ids of keys that were
// revoked or changed.
const KeyChanges = "account_keys"

const keyColumns = `k.public_id, k.workspace, w.plan, k.environment, k.label, k.permissions, k.budgets, k.is_default,
	k.hash, k.pepper_generation, k.created_at, k.expires_at, k.revoked_at, k.last_used_at`

// findKey reads two rows by their primary keys.
const findKey = `/* key.find */
	SELECT ` + keyColumns + ` FROM api_keys k JOIN workspaces w ON w.id = k.workspace WHERE k.public_id = $1`

// FindKey implements account.KeyStore.
func (db *DB) FindKey(ctx context.Context, publicID string) (account.Key, error) {
	return oneKey(db.pool.Query(ctx, findKey, pgx.QueryExecModeCacheStatement, publicID))
}

// listKeys goes along api_keys_of_workspace.
const listKeys = `/* key.list */
	SELECT ` + keyColumns + ` FROM api_keys k JOIN workspaces w ON w.id = k.workspace
	WHERE k.workspace = $1 ORDER BY (k.revoked_at IS NOT NULL), k.created_at DESC, k.public_id LIMIT $2`

// ListKeys implements account.KeyStore.
func (db *DB) ListKeys(ctx context.Context, workspace string, limit int) ([]account.Key, error) {
	rows, err := db.pool.Query(ctx, listKeys, pgx.QueryExecModeCacheStatement, workspace, limit)
	if err != nil {
		return nil, outage(err)
	}
	keys, err := pgx.CollectRows(rows, scanKey)
	return keys, outage(err)
}

// AddKey implements account.KeyStore.
func (db *DB) AddKey(ctx context.Context, k account.Key, entry account.Entry) error {
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error { return addKey(ctx, tx, k, entry) })
	return outage(ofWorkspace(err))
}

func addKey(ctx context.Context, tx pgx.Tx, k account.Key, entry account.Entry) error {
	_, err := tx.Exec(ctx, `/* key.add */
		INSERT INTO api_keys (public_id, workspace, environment, label, permissions, budgets, is_default,
			hash, pepper_generation, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		pgx.QueryExecModeCacheStatement, k.PublicID, k.Workspace, string(k.Environment), k.Label, texts(k.Permissions), k.Budgets, k.Default,
		[]byte(k.Hash), int64(k.Pepper), k.CreatedAt, k.ExpiresAt)
	if err != nil {
		return err
	}
	return record(ctx, tx, entry)
}

// ReplaceDefaultKey implements account.KeyStore. The lock on the workspace
// makes rotations that meet follow one another.
func (db *DB) ReplaceDefaultKey(ctx context.Context, k account.Key, entry account.Entry, by account.Actor, rotate account.Rotating) (revoked []string, err error) {
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `/* key.queue */ SELECT id FROM workspaces WHERE id = $1 FOR NO KEY UPDATE`, k.Workspace); err != nil {
			return err
		}
		today := 0
		// The keys of one workspace, by api_keys_of_workspace.
		if err := tx.QueryRow(ctx, `/* key.today */
			SELECT count(*) FROM api_keys WHERE workspace = $1 AND is_default AND created_at >= $2`,
			k.Workspace, account.Day(k.CreatedAt)).Scan(&today); err != nil {
			return err
		}
		if err := rotate(today); err != nil {
			return err
		}
		// By api_keys_default.
		rows, err := tx.Query(ctx, `/* key.retire */
			UPDATE api_keys SET revoked_at = $2 WHERE workspace = $1 AND is_default AND revoked_at IS NULL
			RETURNING public_id`, k.Workspace, k.CreatedAt)
		if err != nil {
			return err
		}
		if revoked, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return err
		}
		for _, id := range revoked {
			if err := tell(ctx, tx, KeyChanges, id); err != nil {
				return err
			}
			if err := record(ctx, tx, account.KeyRevoked(k.Workspace, id, k.PublicID, by, k.CreatedAt)); err != nil {
				return err
			}
		}
		return addKey(ctx, tx, k, entry)
	})
	return revoked, outage(ofWorkspace(err))
}

// RevokeKey implements account.KeyStore.
func (db *DB) RevokeKey(ctx context.Context, workspace, publicID string, by account.Actor, at time.Time) (account.Key, error) {
	return db.changeKey(ctx, workspace, publicID, func(tx pgx.Tx, k *account.Key) error {
		if k.RevokedAt != nil {
			return nil
		}
		k.RevokedAt = &at
		if _, err := tx.Exec(ctx, `/* key.revoke */ UPDATE api_keys SET revoked_at = $2 WHERE public_id = $1`, publicID, at); err != nil {
			return err
		}
		return record(ctx, tx, account.KeyRevoked(k.Workspace, publicID, "", by, at))
	})
}

// GrantKey implements account.KeyStore.
func (db *DB) GrantKey(ctx context.Context, publicID string, by account.Actor, at time.Time, grant account.Granting) (account.Key, error) {
	return db.changeKey(ctx, "", publicID, func(tx pgx.Tx, k *account.Key) error {
		all, added, err := grant(*k)
		if err != nil || len(added) == 0 {
			return err
		}
		k.Permissions = all
		if _, err := tx.Exec(ctx, `/* key.grant */ UPDATE api_keys SET permissions = $2 WHERE public_id = $1`, publicID, texts(all)); err != nil {
			return err
		}
		return record(ctx, tx, account.KeyGranted(*k, added, by, at))
	})
}

// changeKey changes one key of a workspace, or of any when that is empty, which
// nobody else changes meanwhile, and tells every process of it. It does not
// wait for another workspace's key.
func (db *DB) changeKey(ctx context.Context, workspace, publicID string, change func(pgx.Tx, *account.Key) error) (k account.Key, err error) {
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		k, err = oneKey(tx.Query(ctx, findKey+" AND $2 IN (k.workspace, '') FOR UPDATE OF k", pgx.QueryExecModeCacheStatement, publicID, workspace))
		if err != nil {
			return err
		}
		if err := change(tx, &k); err != nil {
			return err
		}
		return tell(ctx, tx, KeyChanges, publicID)
	})
	if err != nil {
		return account.Key{}, outage(err)
	}
	return k, nil
}

// RecordUse implements account.KeyStore. A key that another process changes or
// records at this moment is passed over: one of the two uses is as good.
func (db *DB) RecordUse(ctx context.Context, uses map[string]time.Time) error {
	ids, times := make([]string, 0, len(uses)), make([]time.Time, 0, len(uses))
	for id, at := range uses {
		ids, times = append(ids, id), append(times, at)
	}
	_, err := db.pool.Exec(ctx, `/* key.use */
		UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, used.at)
		FROM (
			SELECT a.public_id, u.at FROM unnest($1::text[], $2::timestamptz[]) AS u (id, at)
			JOIN api_keys a ON a.public_id = u.id
			FOR NO KEY UPDATE OF a SKIP LOCKED
		) used
		WHERE k.public_id = used.public_id`, pgx.QueryExecModeCacheStatement, ids, times)
	return outage(err)
}

// ForgetKeys deletes at most so many keys that were revoked before a time. The
// audit log keeps that they were.
func (db *DB) ForgetKeys(ctx context.Context, before time.Time, most int) (forgotten int, err error) {
	tag, err := db.pool.Exec(ctx, forgetKeys, before, most)
	return int(tag.RowsAffected()), outage(err)
}

// By api_keys_revoked.
const forgetKeys = `/* key.forget */
	DELETE FROM api_keys WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM api_keys WHERE revoked_at < $1 ORDER BY revoked_at LIMIT $2))`

func oneKey(rows pgx.Rows, err error) (account.Key, error) {
	if err != nil {
		return account.Key{}, outage(err)
	}
	k, err := pgx.CollectExactlyOneRow(rows, scanKey)
	if errors.Is(err, pgx.ErrNoRows) {
		return account.Key{}, noKey()
	}
	return k, outage(err)
}

func scanKey(row pgx.CollectableRow) (k account.Key, err error) {
	err = row.Scan(&k.PublicID, &k.Workspace, &k.Plan, &k.Environment, &k.Label, &k.Permissions, &k.Budgets, &k.Default,
		(*[]byte)(&k.Hash), &k.Pepper, &k.CreatedAt, &k.ExpiresAt, &k.RevokedAt, &k.LastUsedAt)
	k.CreatedAt = k.CreatedAt.UTC()
	for _, at := range []*time.Time{k.ExpiresAt, k.RevokedAt, k.LastUsedAt} {
		if at != nil {
			*at = at.UTC()
		}
	}
	return k, err
}

func noKey() error {
	return domain.Errorf(domain.CodeNotFound, "the key does not exist")
}

func texts(permissions []account.Permission) []string {
	list := make([]string, len(permissions))
	for i, p := range permissions {
		list[i] = string(p)
	}
	return list
}
