package verification

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/verify"
	"astrolabe/graph/resolver"
)

// Queries resolves the root fields of verification.
type Queries struct{ Resolver *resolver.Resolver }

type (
	// Connection is a page of jobs.
	Connection = resolver.Connection[*Job]
	// Edge is a job with its cursor.
	Edge = resolver.Edge[*Job]
)

// VerificationJob returns a job of the caller's workspace. A job of another
// workspace is not_found, like one that does not exist.
func (q Queries) VerificationJob(ctx context.Context, chain domain.Chain, id string) (*Job, error) {
	if err := chain.Served(q.Resolver.Chains); err != nil {
		return nil, err
	}
	job, err := q.Resolver.VerificationJobs.Of(ctx, chain, account.CallerOf(ctx).Workspace, id)
	if err != nil {
		return nil, err
	}
	return jobOf(q.Resolver, job), nil
}

// VerificationJobs lists the jobs of the caller's workspace, newest first. A
// cursor of another workspace is invalid.
func (q Queries) VerificationJobs(ctx context.Context, chain domain.Chain, first *int, after *string) (*Connection, error) {
	if err := chain.Served(q.Resolver.Chains); err != nil {
		return nil, err
	}
	workspace := account.CallerOf(ctx).Workspace
	read := func(page domain.PageRequest) (domain.Page[verify.Job], error) {
		return q.Resolver.VerificationJobs.List(ctx, chain, workspace, page)
	}
	position := func(j verify.Job) domain.Position { return j.Position() }
	object := func(j verify.Job) *Job { return viewOf(&j) }
	page, err := resolver.List(ctx, q.Resolver, workspace, first, after, read, position, object)
	if err != nil {
		return nil, err
	}
	join(q.Resolver, page.Nodes())
	return page, nil
}
