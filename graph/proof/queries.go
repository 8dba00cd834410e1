package proof

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/prove"
	"astrolabe/graph/resolver"
)

// Queries resolves the root fields that read jobs.
type Queries struct{ Resolver *resolver.Resolver }

type (
	// Connection is a page of jobs.
	Connection = resolver.Connection[*Job]
	// Edge is a job with its cursor.
	Edge = resolver.Edge[*Job]
)

// ProofJob returns a job of the caller's workspace. A job of another workspace is
// not_found, like one that does not exist, and so is every job where the relay is
// not enabled.
func (q Queries) ProofJob(ctx context.Context, id string) (*Job, error) {
	if q.Resolver.Proofs == nil {
		return nil, domain.Errorf(domain.CodeNotFound, "The proof job does not exist.")
	}
	job, err := q.Resolver.Proofs.Of(ctx, account.CallerOf(ctx).Workspace, id)
	if err != nil {
		return nil, err
	}
	return jobOf(job), nil
}

// ProofJobs lists the jobs of the caller's workspace, newest first. Where the relay
// is not enabled, there are none.
func (q Queries) ProofJobs(ctx context.Context, first *int, after *string) (*Connection, error) {
	workspace := account.CallerOf(ctx).Workspace
	read := func(page domain.PageRequest) (domain.Page[prove.Job], error) {
		if q.Resolver.Proofs == nil {
			return domain.Page[prove.Job]{}, nil
		}
		return q.Resolver.Proofs.List(ctx, workspace, page)
	}
	position := func(j prove.Job) domain.Position { return j.ListPosition() }
	object := func(j prove.Job) *Job { return jobOf(&j) }
	return resolver.List(ctx, q.Resolver, workspace, first, after, read, position, object)
}
