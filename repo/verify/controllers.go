package verify

import (
	"context"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Controllers implements verify.JobStore. The table has a row for each controller.
func (r Jobs) Controllers(ctx context.Context, since time.Time) ([]verify.ControllerStatus, error) {
	var rows []model.VerificationController
	err := r.db.Write().NewSelect().Model(&rows).Comment("verification.controllers").Where("seen_at >= ?", since).
		OrderExpr("ready DESC, seen_at DESC, id").Scan(ctx)
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	controllers := make([]verify.ControllerStatus, len(rows))
	for i, row := range rows {
		controllers[i] = verify.ControllerStatus{
			KeyID: row.KeyID, Environment: receipt.Environment(row.Environment),
			Toolchain: verify.Toolchain{Name: row.ToolchainName, Version: row.ToolchainVersion, Digest: row.ToolchainDigest},
			Ready:     row.Ready, ReasonCode: row.ReasonCode, Reason: row.Reason, SeenAt: row.SeenAt.UTC(),
		}
	}
	return controllers, nil
}
