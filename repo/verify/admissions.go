package verify

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Admissions stores receipts and the outcome of comparisons. Its statements need
// no more than the role astrolabe_controller may do.
type Admissions struct{ db *repo.DB }

var _ verify.ControllerStore = Admissions{}

// NewAdmissions returns the repository of a controller.
func NewAdmissions(db *repo.DB) Admissions { return Admissions{db} }

// Comparing implements verify.ControllerStore, by verification_jobs_comparing. The
// state is part of the text, as in the index.
func (r Admissions) Comparing(ctx context.Context, most int) ([]string, error) {
	ids := []string{}
	err := r.db.Write().NewSelect().Model((*model.VerificationJob)(nil)).Comment("verification.comparing").Column("id").
		Where("state = ?", comparing).Order("number").Limit(int64(most)).Scan(ctx, &ids)
	return ids, repo.Failure(ctx, err)
}

const comparing = model.VerificationState(verify.Comparing)

// Candidate implements verify.ControllerStore, by the primary keys.
func (r Admissions) Candidate(ctx context.Context, id string) (*verify.Candidate, error) {
	var row struct {
		Chain   model.Chain     `bun:"chain"`
		Package json.RawMessage `bun:"package"`
		Build   json.RawMessage `bun:"build"`
		Class   []byte          `bun:"class"`
	}
	err := r.db.Write().NewRaw(`/* verification.candidate */
		SELECT j.chain, j.package, j.build, c.class FROM verification_jobs j LEFT JOIN verification_candidates c ON c.job = j.id
		WHERE j.id = ? AND j.state = ?`, id, comparing).Scan(ctx, &row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, repo.Failure(ctx, err)
	}
	candidate := &verify.Candidate{JobID: id, Chain: domain.Chain(row.Chain), Class: row.Class}
	if err := json.Unmarshal(row.Package, &candidate.Package); err != nil {
		return nil, fmt.Errorf("package of %s: %w", id, err)
	}
	if len(row.Build) > 0 {
		var build verify.Build
		if err := json.Unmarshal(row.Build, &build); err != nil {
			return nil, fmt.Errorf("build of %s: %w", id, err)
		}
		candidate.Toolchain = build.Toolchain
	}
	return candidate, nil
}

// Genesis implements verify.ControllerStore, by the primary key.
func (r Admissions) Genesis(ctx context.Context, c domain.Chain) (*starknet.Felt, error) {
	genesis, err := genesisOf(ctx, r.db.Write(), c)
	return genesis, repo.Failure(ctx, err)
}

func genesisOf(ctx context.Context, on bun.IDB, c domain.Chain) (genesis *starknet.Felt, err error) {
	err = on.NewSelect().Model((*model.Checkpoint)(nil)).Comment("verification.genesis").Column("genesis").
		Where("chain = ?", model.Chain(c)).Scan(ctx, &genesis)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return genesis, err
}

// Report implements verify.ControllerStore.
func (r Admissions) Report(ctx context.Context, id string, s verify.ControllerStatus) error {
	row := model.VerificationController{
		ID: id, KeyID: s.KeyID, Environment: string(s.Environment),
		ToolchainName: s.Toolchain.Name, ToolchainVersion: s.Toolchain.Version, ToolchainDigest: s.Toolchain.Digest,
		Ready: s.Ready, ReasonCode: s.ReasonCode, Reason: s.Reason, SeenAt: s.SeenAt,
	}
	_, err := r.db.Write().NewInsert().Model(&row).Comment("verification.controller_report").On("CONFLICT (id) DO UPDATE").
		Set("key_id = EXCLUDED.key_id, environment = EXCLUDED.environment, toolchain_name = EXCLUDED.toolchain_name, " +
			"toolchain_version = EXCLUDED.toolchain_version, toolchain_digest = EXCLUDED.toolchain_digest, ready = EXCLUDED.ready, " +
			"reason_code = EXCLUDED.reason_code, reason = EXCLUDED.reason, seen_at = EXCLUDED.seen_at").Exec(ctx)
	return repo.Failure(ctx, err)
}
