package verification

import (
	"context"
	"errors"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/resolver"
)

// Mutations resolves the mutations of jobs.
type Mutations struct{ Resolver *resolver.Resolver }

// CreatePayload is the result of creating a job.
type CreatePayload struct {
	Job        *Job
	Created    *bool
	UploadPath *string
	UserErrors []resolver.UserError
}

// CancelPayload is the result of cancelling a job.
type CancelPayload struct {
	Job        *Job
	UserErrors []resolver.UserError
}

// CreateVerificationJob creates a job, or returns the one that an identical
// request created before.
func (m Mutations) CreateVerificationJob(ctx context.Context, chain domain.Chain, input Package, idempotencyKey string) (*CreatePayload, error) {
	payload, err := m.create(ctx, chain, input, idempotencyKey)
	if err != nil {
		reported, err := userErrors(ctx, err)
		return &CreatePayload{UserErrors: reported}, err
	}
	return payload, nil
}

func (m Mutations) create(ctx context.Context, chain domain.Chain, input Package, idempotencyKey string) (*CreatePayload, error) {
	if err := m.admit(ctx, chain, account.Heavy); err != nil {
		return nil, err
	}
	job, created, err := m.Resolver.VerificationJobs.Create(ctx, chain, account.CallerOf(ctx), idempotencyKey, input.body())
	if err != nil {
		return nil, err
	}
	return &CreatePayload{Job: jobOf(m.Resolver, job), Created: &created, UploadPath: new(pathOf(job) + "/source")}, nil
}

// CancelVerificationJob cancels a job of the caller's workspace.
func (m Mutations) CancelVerificationJob(ctx context.Context, chain domain.Chain, id string) (*CancelPayload, error) {
	payload, err := m.cancel(ctx, chain, id)
	if err != nil {
		reported, err := userErrors(ctx, err)
		return &CancelPayload{UserErrors: reported}, err
	}
	return payload, nil
}

func (m Mutations) cancel(ctx context.Context, chain domain.Chain, id string) (*CancelPayload, error) {
	if err := m.admit(ctx, chain, account.Light); err != nil {
		return nil, err
	}
	job, err := m.Resolver.VerificationJobs.Cancel(ctx, chain, account.CallerOf(ctx).Workspace, id)
	if err != nil {
		return nil, err
	}
	return &CancelPayload{Job: jobOf(m.Resolver, job)}, nil
}

// admit checks the chain of a mutation, and charges the class of its REST request.
func (m Mutations) admit(ctx context.Context, chain domain.Chain, class account.Class) error {
	if err := chain.Served(m.Resolver.Chains); err != nil {
		return err
	}
	return m.Resolver.Draw(ctx, class, 1)
}

// about names the arguments that errors are about which do not name one.
var about = map[domain.Code]string{
	domain.CodeNotFound:                     "id",
	domain.CodeUnsupportedChain:             "chain",
	domain.CodeUnsupportedVerificationChain: "chain",
	domain.CodeIdempotencyKeyReused:         "idempotencyKey",
}

// userErrors reports an error with the names of the arguments in the schema.
func userErrors(ctx context.Context, err error) ([]resolver.UserError, error) {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return nil, err
	}
	argument := about[e.Code]
	e = e.Named(func(a domain.Argument) string {
		if argument = string(a); a != "idempotencyKey" {
			argument = "input." + argument
		}
		return argument
	})
	return resolver.UserErrors(ctx, e, argument)
}
