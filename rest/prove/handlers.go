package prove

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/domain/prove"
	"astrolabe/rest/frame"
)

// Handlers are the operations of this package. The zero value suffices to list
// them.
type Handlers struct{ *explorer.Services }

// The relay is for mainnet only, so that no other chain has these routes.
const (
	jobsPath = "/v1/SN_MAIN/prove"
	jobPath  = jobsPath + "/{jobId}"
)

// jobParam is a job of a path. Whatever its form, an unknown ID is not_found.
var jobParam = frame.Param{
	Name: "jobId", In: frame.InPath, Kind: frame.IDKind, Required: true, About: "ID of the proof job.",
	Example: "prv_abcdefghijklmnopqrstuvwxyz",
}

// Operations are the routes of the relay.
func (h Handlers) Operations() []frame.Operation {
	operations := []frame.Operation{
		{
			ID: "submitProof", Method: http.MethodPost, Path: jobsPath,
			Summary: "Submit a transaction to the prover.",
			Request: "ProofSubmission", MaxBody: prove.MaxBody, IdempotencyKey: prove.KeyForm,
			Class: frame.Heavy, RPCClass: account.RPCProve, Unmetered: true, Timeout: 10 * time.Second,
			Success: http.StatusAccepted, Replay: http.StatusOK,
			Errors: []domain.Code{
				domain.CodeIdempotencyKeyRequired, domain.CodeInvalidIdempotencyKey, domain.CodeIdempotencyKeyReused,
				domain.CodeProverDailyBudget, domain.CodeProverKeyConcurrency, domain.CodeProverQueueFull, domain.CodeProverUnavailable,
			},
			Proof: []string{
				"TestSubmissionIsAcceptedOnce", "TestSubmissionIsRefusedWithItsCode", "TestSubmissionsHaveBudgetsInsteadOfARateLimit",
				"TestConcurrentSubmissionsOverHTTPMakeOneJob", "TestSubmissionsAreForMainnetAndForTheirScope",
			},
			Handle: h.submit,
		},
		{
			ID: "getProof", Method: http.MethodGet, Path: jobPath,
			Summary: "Poll a proof job, and get its result once.",
			Params:  []frame.Param{jobParam},
			Class:   frame.Light, Timeout: 10 * time.Second,
			Success: http.StatusOK, Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{
				"TestEveryStatusOfAProofJobHasItsFields", "TestOnlyGETTakesAResult", "TestProofJobOfAnotherWorkspaceLooksAbsent",
				"TestConcurrentPollsOverHTTPDeliverOnce",
			},
			Handle: h.poll,
		},
	}
	for i := range operations {
		op := &operations[i]
		op.Permission, op.Cert, op.Audience, op.Cache = account.Prove, frame.Experimental, frame.External, "no-store"
		op.Body, op.Uncompressed = "ProofJob", true
	}
	return operations
}

func (h Handlers) submit(ctx context.Context, c *frame.Call) (any, error) {
	key, err := c.IdempotencyKey()
	if err != nil {
		return nil, err
	}
	body, err := c.JSON()
	if err != nil {
		return nil, err
	}
	job, admission, err := h.Proofs.Submit(ctx, account.CallerOf(ctx), key, body)
	if err != nil {
		return nil, err
	}
	if admission != prove.Added {
		return frame.Replayed{Body: render(job, nil)}, nil
	}
	return render(job, nil), nil
}

// poll answers GET with the job and, to one caller only, what it delivers. HEAD
// consumes nothing.
func (h Handlers) poll(ctx context.Context, c *frame.Call) (any, error) {
	workspace, id := account.CallerOf(ctx).Workspace, c.Text(jobParam.Name)
	if c.Head() {
		job, err := h.Proofs.Of(ctx, workspace, id)
		if err != nil {
			return nil, err
		}
		return frame.Document{Media: frame.JSONMedia, Body: render(job, nil), Unsized: job.Result == prove.Held}, nil
	}
	job, payload, err := h.Proofs.Poll(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	return frame.Document{Media: frame.JSONMedia, Body: render(job, payload)}, nil
}
