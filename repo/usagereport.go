package repo

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// The statements of a report. Those over usage_hours read the range of its
// primary key that the workspace and the hours since $2 take: as many rows as
// there were keys, routes and codes in each hour.
const (
	usageTotal = `/* usage.total */
		SELECT coalesce(sum(requests), 0)::bigint, coalesce(sum(requests) FILTER (WHERE code <> ''), 0)::bigint
		FROM usage_hours WHERE workspace = $1 AND hour >= $2`

	// The labels come by an index of api_keys: its primary key or, where keys
	// are few, api_keys_of_workspace.
	usageKeys = `/* usage.keys */
		SELECT u.public_id, coalesce(k.label, ''), u.requests, u.failures, u.last_at
		FROM (
			SELECT public_id, sum(requests)::bigint AS requests,
				coalesce(sum(requests) FILTER (WHERE code <> ''), 0)::bigint AS failures, max(last_at) AS last_at
			FROM usage_hours WHERE workspace = $1 AND hour >= $2 AND public_id <> ''
			GROUP BY public_id ORDER BY requests DESC, public_id LIMIT $3
		) u LEFT JOIN api_keys k ON k.public_id = u.public_id AND k.workspace = $1
		ORDER BY u.requests DESC, u.public_id`

	usageParts = `/* usage.parts */
		SELECT public_id, class, route, code, sum(requests)::bigint, coalesce(sum(requests) FILTER (WHERE code <> ''), 0)::bigint
		FROM usage_hours WHERE workspace = $1 AND hour >= $2 AND public_id = ANY ($3)
		GROUP BY GROUPING SETS ((public_id, class), (public_id, route), (public_id, code))
		ORDER BY public_id, class, route, code`

	usageColumns = `at, workspace, public_id, route, method, class, status, code, request_id, took_us`

	// By usage_requests_newest, backwards.
	usageRequests = `/* usage.requests */
		SELECT ` + usageColumns + ` FROM usage_requests WHERE workspace = $1 AND at >= $2
		ORDER BY at DESC LIMIT $3`

	// By usage_requests_failed, backwards.
	usageFailures = `/* usage.failures */
		SELECT ` + usageColumns + ` FROM usage_requests WHERE workspace = $1 AND at >= $2 AND code <> ''
		ORDER BY at DESC LIMIT $3`
)

// ReadUsage implements account.UsageStore.
func (db *DB) ReadUsage(ctx context.Context, workspace string, since time.Time, keys, recent int) (r account.UsageReport, err error) {
	moment := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, db.pool, moment, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, usageTotal, workspace, since).Scan(&r.Total.Requests, &r.Total.Failures); err != nil {
			return err
		}
		if r.PerKey, err = readKeyUsage(ctx, tx, workspace, since, keys); err != nil {
			return err
		}
		if r.RecentRequests, err = readUses(tx.Query(ctx, usageRequests, workspace, since, recent)); err != nil {
			return err
		}
		r.RecentFailures, err = readUses(tx.Query(ctx, usageFailures, workspace, since, recent))
		return err
	})
	return r, outage(err)
}

func readKeyUsage(ctx context.Context, tx pgx.Tx, workspace string, since time.Time, most int) ([]account.KeyUsage, error) {
	rows, err := tx.Query(ctx, usageKeys, workspace, since, most)
	if err != nil {
		return nil, err
	}
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k account.KeyUsage, err error) {
		err = row.Scan(&k.PublicID, &k.Label, &k.Requests, &k.Failures, &k.LastUsedAt)
		k.LastUsedAt = k.LastUsedAt.UTC()
		return k, err
	})
	if err != nil {
		return nil, err
	}
	ids, places := make([]string, len(keys)), map[string]*account.KeyUsage{}
	for i := range keys {
		ids[i], places[keys[i].PublicID] = keys[i].PublicID, &keys[i]
	}
	rows, err = tx.Query(ctx, usageParts, workspace, since, ids)
	if err != nil {
		return nil, err
	}
	var (
		id                 string
		class, route, code *string // the one that the part is of
		tally              account.Tally
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &class, &route, &code, &tally.Requests, &tally.Failures}, func() error {
		switch k := places[id]; {
		case class != nil:
			k.PerClass = append(k.PerClass, account.ClassUsage{Class: account.Class(*class), Tally: tally})
		case route != nil:
			k.PerRoute = append(k.PerRoute, account.RouteUsage{Route: *route, Tally: tally})
		case *code != "":
			k.PerCode = append(k.PerCode, account.CodeUsage{Code: domain.Code(*code), Failures: tally.Failures})
		}
		return nil
	})
	return keys, err
}

func readUses(rows pgx.Rows, err error) ([]account.Use, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (u account.Use, err error) {
		var took int64
		err = row.Scan(&u.At, &u.Workspace, &u.PublicID, &u.Route, &u.Method, &u.Class, &u.Status, &u.Code, &u.RequestID, &took)
		u.At, u.Took = u.At.UTC(), time.Duration(took)*time.Microsecond
		return u, err
	})
}
