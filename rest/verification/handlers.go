package verification

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/domain/verify"
	"astrolabe/rest/frame"
)

// Handlers are the operations of this package. The zero value suffices to list
// them.
type Handlers struct{ *explorer.Services }

const (
	jobsPath = "/v1/{chain}/verification-jobs"
	jobPath  = jobsPath + "/{jobId}"
)

// jobParam is a job of a path. Whatever its form, an unknown ID is not_found.
var jobParam = frame.Param{
	Name: "jobId", In: frame.InPath, Kind: frame.IDKind, Required: true, About: "ID of the verification job.",
	Example: "vrf_abcdefghijklmnopqrstuvwxyz",
}

// Operations are the routes of verification jobs.
func (h Handlers) Operations() []frame.Operation {
	operations := []frame.Operation{
		{
			ID: "createVerificationJob", Method: http.MethodPost, Path: jobsPath,
			Summary: "Create a verification job.",
			Request: "VerificationPackage", MaxBody: 16 << 10, IdempotencyKey: verify.KeyForm, Only: domain.Mainnet,
			Class: frame.Heavy, Timeout: 5 * time.Second,
			Success: http.StatusCreated, Replay: http.StatusOK, Body: "CreatedVerificationJob",
			Errors: []domain.Code{
				domain.CodeIdempotencyKeyRequired, domain.CodeInvalidIdempotencyKey, domain.CodeIdempotencyKeyReused,
				domain.CodeInvalidVerificationPackage, domain.CodeUnsupportedPolicy, domain.CodeUnsupportedVerificationChain,
				domain.CodeDeclarationUnavailable, domain.CodeVerificationActiveJob, domain.CodeVerificationDailyQuota,
				domain.CodeVerificationQueueFull, domain.CodeVerificationUnavailable,
			},
			Proof: []string{
				"TestIdenticalCreatesMakeOneJob", "TestIdempotencyKeyIsRequiredOnceAndWellFormed", "TestFaultOfAPackageNamesItsField",
				"TestCreateIsRefusedWithinItsLimits", "TestCreateNeedsABuilderAndADeclaration",
			},
			Handle: h.create,
		},
		{
			ID: "uploadVerificationSource", Method: http.MethodPut, Path: jobPath + "/source",
			Summary: "Upload the source archive of a verification job.",
			Request: "SourceArchive", Accepts: "application/gzip", MaxBody: verify.MaxUpload,
			Class: frame.Heavy, Timeout: verify.UploadWindow,
			Success: http.StatusAccepted, Replay: http.StatusOK, Body: "VerificationJob",
			Errors: []domain.Code{
				domain.CodeNotFound, domain.CodeLengthRequired, domain.CodeVerificationUploadMismatch,
				domain.CodeVerificationSourceCommitted, domain.CodeVerificationJobTerminal,
			},
			Proof: []string{
				"TestUploadIsCommittedOnceAndReplayed", "TestUploadIsRefusedBeforeItsBodyIsRead", "TestShortUploadChangesNothing",
				"TestSlowUploadIsReadWhileItMoves", "TestClientIsAskedForABodyOnlyWhenTheJobAcceptsIt",
			},
			Handle: h.upload,
		},
		{
			ID: "getVerificationJob", Method: http.MethodGet, Path: jobPath,
			Summary: "Get a verification job.",
			Class:   frame.Light, Timeout: 2 * time.Second,
			Success: http.StatusOK, Body: "VerificationJob", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestJobViewHasEveryField", "TestJobOfAnotherWorkspaceLooksAbsent"},
			Handle: h.read,
		},
		{
			ID: "cancelVerificationJob", Method: http.MethodPost, Path: jobPath + "/cancel",
			Summary: "Cancel a verification job.",
			Class:   frame.Light, Timeout: 5 * time.Second,
			Success: http.StatusOK, Body: "VerificationJob", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestCancelLeavesAnEndedJobUnchanged", "TestJobOfAnotherWorkspaceLooksAbsent"},
			Handle: h.cancel,
		},
		{
			ID: "getVerificationReceipt", Method: http.MethodGet, Path: jobPath + "/receipt",
			Summary: "Get the signed receipt of a verification.",
			Class:   frame.Light, Timeout: 2 * time.Second,
			Success: http.StatusOK, Body: "VerificationReceipt", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestReceiptIsServedAsItWasSigned", "TestReceiptIsNotFoundBeforeSuccess", "TestJobOfAnotherWorkspaceLooksAbsent"},
			Handle: h.receipt,
		},
	}
	for i := range operations {
		op := &operations[i]
		op.Permission, op.Cert, op.Audience, op.Cache = account.Verify, frame.Beta, frame.External, "no-store"
		op.Params = []frame.Param{frame.ChainParam}
		if op.Path != jobsPath {
			op.Params = append(op.Params, jobParam)
		}
	}
	return append(operations, h.trustRootOperation())
}

func (h Handlers) create(ctx context.Context, c *frame.Call) (any, error) {
	key, err := c.IdempotencyKey()
	if err != nil {
		return nil, err
	}
	body, err := c.JSON()
	if err != nil {
		return nil, err
	}
	job, created, err := h.VerificationJobs.Create(ctx, c.Chain, account.CallerOf(ctx), key, body)
	if err != nil {
		return nil, err
	}
	return once(renderCreated(job), created), nil
}

func (h Handlers) upload(ctx context.Context, c *frame.Call) (any, error) {
	length, body, err := c.Upload()
	if err != nil {
		return nil, err
	}
	job, committed, err := h.VerificationJobs.Upload(ctx, c.Chain, account.CallerOf(ctx).Workspace, c.Text(jobParam.Name), length, body)
	if err != nil {
		return nil, err
	}
	return once(renderJob(job), committed), nil
}

func (h Handlers) read(ctx context.Context, c *frame.Call) (any, error) {
	job, err := h.job(ctx, c)
	if err != nil {
		return nil, err
	}
	return renderJob(job), nil
}

func (h Handlers) cancel(ctx context.Context, c *frame.Call) (any, error) {
	job, err := h.VerificationJobs.Cancel(ctx, c.Chain, account.CallerOf(ctx).Workspace, c.Text(jobParam.Name))
	if err != nil {
		return nil, err
	}
	return renderJob(job), nil
}

// receipt returns the bytes that were signed, so that clients can compare digests.
func (h Handlers) receipt(ctx context.Context, c *frame.Call) (any, error) {
	body, err := h.VerificationReceipts.Of(ctx, c.Chain, account.CallerOf(ctx).Workspace, c.Text(jobParam.Name))
	if err != nil {
		return nil, err
	}
	return frame.Document{Media: frame.JSONMedia, Body: body}, nil
}

// job returns the job of a request.
func (h Handlers) job(ctx context.Context, c *frame.Call) (*verify.Job, error) {
	return h.VerificationJobs.Of(ctx, c.Chain, account.CallerOf(ctx).Workspace, c.Text(jobParam.Name))
}

// once returns a body as the answer of a request that changed something, or that
// repeated one that did.
func once(body any, changed bool) any {
	if changed {
		return body
	}
	return frame.Replayed{Body: body}
}
