package verification

import (
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// CreatedBody is the answer to a create.
type CreatedBody struct {
	JobID            string       `json:"jobId"`
	ChainID          domain.Chain `json:"chainId"`
	State            verify.State `json:"state"`
	IdempotencyKey   string       `json:"idempotencyKey"`
	UploadExpiresAt  time.Time    `json:"uploadExpiresAt"`
	PollAfterSeconds int          `json:"pollAfterSeconds"`
}

func renderCreated(j *verify.Job) CreatedBody {
	return CreatedBody{j.ID, j.Chain, j.State, j.IdempotencyKey, j.UploadExpiresAt.UTC(), pollAfter}
}

const pollAfter = int(verify.PollAfter / time.Second)

// JobBody is a job as its owner sees it.
type JobBody struct {
	JobID             string              `json:"jobId"`
	ChainID           domain.Chain        `json:"chainId"`
	State             verify.State        `json:"state"`
	Terminal          bool                `json:"terminal"`
	Retryable         *bool               `json:"retryable"`
	FailureCode       *verify.FailureCode `json:"failureCode"`
	FailureMessage    *string             `json:"failureMessage"`
	SelectedClassHash starknet.Felt       `json:"selectedClassHash"`
	ToolchainPolicyID string              `json:"toolchainPolicyId"`
	PackageName       string              `json:"packageName"`
	TargetName        string              `json:"targetName"`
	ArtifactID        string              `json:"artifactId"`
	ModulePath        string              `json:"modulePath"`
	SourceVisibility  string              `json:"sourceVisibility"`
	RetentionPolicyID string              `json:"retentionPolicyId"`
	CreatedAt         time.Time           `json:"createdAt"`
	UpdatedAt         time.Time           `json:"updatedAt"`
	UploadExpiresAt   time.Time           `json:"uploadExpiresAt"`
	SourceCommittedAt *time.Time          `json:"sourceCommittedAt"`
	SourceDeletedAt   *time.Time          `json:"sourceDeletedAt"`
	FinishedAt        *time.Time          `json:"finishedAt"`
	PollAfterSeconds  int                 `json:"pollAfterSeconds"`
	IdempotencyKey    string              `json:"idempotencyKey"`
	History           []TransitionBody    `json:"history"`
	Build             *BuildBody          `json:"build"`
	ProducedClassHash *starknet.Felt      `json:"producedClassHash"`
	ReceiptID         *uint64             `json:"receiptId"`
	ReceiptURL        *string             `json:"receiptUrl"`
}

// TransitionBody is a state of a job's history.
type TransitionBody struct {
	State verify.State `json:"state"`
	At    time.Time    `json:"at"`
}

// BuildBody is what is known of a job's build.
type BuildBody struct {
	Toolchain  ToolchainBody `json:"toolchain"`
	Profile    string        `json:"profile"`
	DurationMs int64         `json:"durationMs"`
	LogTail    string        `json:"logTail"`
}

// ToolchainBody is a pinned compiler.
type ToolchainBody struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Digest  string `json:"digest"`
}

func renderJob(j *verify.Job) JobBody {
	p := j.Package
	body := JobBody{
		JobID: j.ID, ChainID: j.Chain, State: j.State, Terminal: j.State.Terminal(),
		SelectedClassHash: p.SelectedClassHash, ToolchainPolicyID: p.ToolchainPolicyID, PackageName: p.PackageName,
		TargetName: p.TargetName, ArtifactID: p.ArtifactID, ModulePath: p.ModulePath,
		SourceVisibility: p.SourceVisibility, RetentionPolicyID: p.RetentionPolicyID,
		CreatedAt: j.CreatedAt.UTC(), UpdatedAt: j.UpdatedAt.UTC(), UploadExpiresAt: j.UploadExpiresAt.UTC(),
		SourceCommittedAt: utc(j.SourceCommittedAt), SourceDeletedAt: utc(j.SourceDeletedAt), FinishedAt: utc(j.FinishedAt),
		PollAfterSeconds: pollAfter, IdempotencyKey: j.IdempotencyKey,
		History:           frame.RenderAll(j.History, func(m verify.Transition) TransitionBody { return TransitionBody{m.State, m.At.UTC()} }),
		ProducedClassHash: j.ProducedClassHash, ReceiptID: j.ReceiptID,
	}
	if f := j.Failure; f != nil {
		body.Retryable, body.FailureCode, body.FailureMessage = new(f.Code.Retryable()), &f.Code, &f.Message
	}
	if b := j.Build; b != nil {
		body.Build = &BuildBody{ToolchainBody(b.Toolchain), b.Profile, b.Duration.Milliseconds(), b.LogTail}
	}
	if j.ReceiptID != nil {
		body.ReceiptURL = new(strings.NewReplacer("{chain}", string(j.Chain), "{jobId}", j.ID).Replace(jobPath + "/receipt"))
	}
	return body
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC())
}
