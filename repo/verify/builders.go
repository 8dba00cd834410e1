package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Builders implements verify.JobStore. The table has a row for each builder.
func (r Jobs) Builders(ctx context.Context, since time.Time) ([]verify.Builder, error) {
	var rows []model.VerificationBuilder
	err := r.db.Write().NewSelect().Model(&rows).Comment("verification.builders").Where("seen_at >= ?", since).
		OrderExpr("ready DESC, seen_at DESC, id").Scan(ctx)
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	builders := make([]verify.Builder, len(rows))
	for i, row := range rows {
		builders[i] = verify.Builder{
			ID: row.ID, Toolchain: verify.Toolchain{Name: row.ToolchainName, Version: row.ToolchainVersion, Digest: row.ToolchainDigest},
			Ready: row.Ready, ReasonCode: row.ReasonCode, Reason: row.Reason, SeenAt: row.SeenAt.UTC(),
		}
		if err := json.Unmarshal(row.Measures, &builders[i].Measures); err != nil {
			return nil, fmt.Errorf("measures of the builder %s: %w", row.ID, err)
		}
	}
	return builders, nil
}

// ForgetBuilders implements verify.JobStore.
func (r Jobs) ForgetBuilders(ctx context.Context, since time.Time) error {
	_, err := r.db.Write().NewDelete().Model((*model.VerificationBuilder)(nil)).Comment("verification.forget_builders").Where("seen_at < ?", since).Exec(ctx)
	return repo.Failure(ctx, err)
}

// ReportBuilder implements verify.BuildStore, by the primary key.
func (r Builds) ReportBuilder(ctx context.Context, b verify.Builder) error {
	measures, err := json.Marshal(append([]verify.Measure{}, b.Measures...))
	if err != nil {
		return err
	}
	row := model.VerificationBuilder{
		ID: b.ID, ToolchainName: b.Toolchain.Name, ToolchainVersion: b.Toolchain.Version, ToolchainDigest: b.Toolchain.Digest,
		Ready: b.Ready, ReasonCode: b.ReasonCode, Reason: b.Reason, SeenAt: b.SeenAt, Measures: measures,
	}
	_, err = r.db.Write().NewInsert().Model(&row).Comment("build.report").On("CONFLICT (id) DO UPDATE").
		Set("toolchain_name = EXCLUDED.toolchain_name, toolchain_version = EXCLUDED.toolchain_version, toolchain_digest = EXCLUDED.toolchain_digest").
		Set("ready = EXCLUDED.ready, reason_code = EXCLUDED.reason_code, reason = EXCLUDED.reason, measures = EXCLUDED.measures, seen_at = EXCLUDED.seen_at").
		Exec(ctx)
	return repo.Failure(ctx, err)
}
