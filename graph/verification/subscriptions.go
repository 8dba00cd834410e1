package verification

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/verify"
	"astrolabe/graph/live"
	"astrolabe/graph/resolver"
)

// Subscriptions resolves the subscriptions to jobs.
type Subscriptions struct{ Resolver *resolver.Resolver }

// VerificationJob returns a job of the caller's workspace, and then the job in each
// further state until it has ended. A job of another workspace is not_found, like
// one that does not exist.
func (s Subscriptions) VerificationJob(ctx context.Context, chain domain.Chain, id string) (<-chan *Job, error) {
	if err := chain.Served(s.Resolver.Chains); err != nil {
		return nil, err
	}
	workspace := account.CallerOf(ctx).Workspace
	// The channel has no buffer: a message leaves when the client has been sent
	// the one before.
	messages := make(chan *Job)
	err := s.Resolver.Hub.FollowJob(ctx, live.JobSubscriber{
		ID: id,
		Read: func(ctx context.Context) (*verify.Job, error) {
			return s.Resolver.VerificationJobs.Of(ctx, chain, workspace, id)
		},
		Send: func(j *verify.Job) {
			select {
			case messages <- jobOf(s.Resolver, j):
			case <-ctx.Done():
			}
		},
		Close: func() { close(messages) },
	})
	if err != nil {
		return nil, err
	}
	return messages, nil
}
