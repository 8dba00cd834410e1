package accounts

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// tally counts the requests of some hours, and those that failed.
type tally struct {
	Requests int64 `bun:"requests"`
	Failures int64 `bun:"failures"`
}

func (t tally) counted() account.Tally {
	return account.Tally{Requests: t.Requests, Failures: t.Failures}
}

// hoursSince selects tallies of a workspace. It reads the range of the primary
// key for the workspace since that hour: one row per key, route and code in
// each hour.
func hoursSince(on bun.IDB, name, workspace string, since time.Time) *bun.SelectQuery {
	return on.NewSelect().Model((*model.UsageHour)(nil)).Comment(name).
		ColumnExpr("coalesce(sum(requests), 0)::bigint AS requests").
		ColumnExpr("coalesce(sum(requests) FILTER (WHERE code <> ''), 0)::bigint AS failures").
		Where("workspace = ? AND hour >= ?", workspace, since)
}

// ReadUsage implements account.UsageStore.
func (r Usage) ReadUsage(ctx context.Context, workspace string, since time.Time, keys, recent int) (report account.UsageReport, err error) {
	err = r.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
		var total tally
		if err := hoursSince(tx, "usage.total", workspace, since).Scan(ctx, &total); err != nil {
			return err
		}
		report.Total = total.counted()
		if report.PerKey, err = readKeyUsage(ctx, tx, workspace, since, keys); err != nil {
			return err
		}
		// By usage_requests_newest and usage_requests_failed, backwards.
		if report.RecentRequests, err = readRequests(ctx, requestsSince(tx, "usage.requests", workspace, since, recent)); err != nil {
			return err
		}
		report.RecentFailures, err = readRequests(ctx, requestsSince(tx, "usage.failures", workspace, since, recent).Where("code <> ''"))
		return err
	})
	return report, repo.Failure(ctx, err)
}

// readKeyUsage reads the busiest keys of a workspace. Their labels come from
// api_keys, by its primary key or, if there are few keys, by
// api_keys_of_workspace.
func readKeyUsage(ctx context.Context, tx bun.Tx, workspace string, since time.Time, most int) ([]account.KeyUsage, error) {
	busiest := hoursSince(tx, "", workspace, since).Column("public_id").ColumnExpr("max(last_at) AS last_at").
		Where("public_id <> ''").Group("public_id").OrderExpr("requests DESC, public_id").Limit(int64(most))
	var rows []struct {
		tally
		PublicID string    `bun:"public_id"`
		Label    string    `bun:"label"`
		LastAt   time.Time `bun:"last_at"`
	}
	err := tx.NewSelect().Comment("usage.keys").TableExpr("(?) AS u", busiest).
		ColumnExpr("u.public_id, coalesce(k.label, '') AS label, u.requests, u.failures, u.last_at").
		Join("LEFT JOIN api_keys AS k ON k.public_id = u.public_id AND k.workspace = ?", workspace).
		OrderExpr("u.requests DESC, u.public_id").Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return []account.KeyUsage{}, err
	}
	keys, places, ids := make([]account.KeyUsage, len(rows)), make(map[string]*account.KeyUsage), make([]string, len(rows))
	for i, row := range rows {
		keys[i] = account.KeyUsage{PublicID: row.PublicID, Label: row.Label, Tally: row.counted(), LastUsedAt: row.LastAt.UTC()}
		places[row.PublicID], ids[i] = &keys[i], row.PublicID
	}
	return keys, divideUsage(ctx, hoursSince(tx, "usage.parts", workspace, since).Where("public_id IN (?)", bun.List(ids)), places)
}

// divideUsage breaks the usage of keys down by class, route and code.
func divideUsage(ctx context.Context, hours *bun.SelectQuery, keys map[string]*account.KeyUsage) error {
	var rows []struct {
		tally
		PublicID string  `bun:"public_id"`
		Class    *string `bun:"class"` // exactly one of these three is set
		Route    *string `bun:"route"`
		Code     *string `bun:"code"`
	}
	err := hours.Column("public_id", "class", "route", "code").
		GroupExpr("GROUPING SETS ((public_id, class), (public_id, route), (public_id, code))").
		Order("public_id", "class", "route", "code").Scan(ctx, &rows)
	for _, row := range rows {
		switch k := keys[row.PublicID]; {
		case row.Class != nil:
			k.PerClass = append(k.PerClass, account.ClassUsage{Class: account.Class(*row.Class), Tally: row.counted()})
		case row.Route != nil:
			k.PerRoute = append(k.PerRoute, account.RouteUsage{Route: *row.Route, Tally: row.counted()})
		case row.Code != nil && *row.Code != "":
			k.PerCode = append(k.PerCode, account.CodeUsage{Code: domain.Code(*row.Code), Failures: row.Failures})
		}
	}
	return err
}

func requestsSince(tx bun.Tx, name, workspace string, since time.Time, limit int) *bun.SelectQuery {
	return tx.NewSelect().Model((*model.UsageRequest)(nil)).Comment(name).
		Where("workspace = ? AND at >= ?", workspace, since).Order("at DESC").Limit(int64(limit))
}

func readRequests(ctx context.Context, query *bun.SelectQuery) ([]account.Use, error) {
	var rows []model.UsageRequest
	if err := query.Scan(ctx, &rows); err != nil {
		return nil, err
	}
	uses := make([]account.Use, len(rows))
	for i, row := range rows {
		uses[i] = account.Use{
			At: row.At.UTC(), Workspace: row.Workspace, PublicID: row.PublicID, Route: row.Route, Method: row.Method,
			Class: account.Class(row.Class), Status: int(row.Status), Code: domain.Code(row.Code), RequestID: row.RequestID,
			Took: time.Duration(row.TookUS) * time.Microsecond,
		}
	}
	return uses, nil
}
