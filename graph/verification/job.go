package verification

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/graph/cohort"
	"astrolabe/graph/resolver"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// Job is a verification job as its owner sees it.
type Job struct {
	JobID             string
	ChainID           domain.Chain
	State             scalar.Enum
	Terminal          bool
	Retryable         *bool
	FailureCode       *scalar.Enum
	FailureMessage    *string
	SelectedClassHash starknet.Felt
	ToolchainPolicyID string
	PackageName       string
	TargetName        string
	ArtifactID        string
	ModulePath        string
	SourceVisibility  scalar.Enum
	RetentionPolicyID string
	CreatedAt         time.Time
	UpdatedAt         time.Time
	UploadExpiresAt   time.Time
	SourceCommittedAt *time.Time
	SourceDeletedAt   *time.Time
	FinishedAt        *time.Time
	PollAfterSeconds  int
	IdempotencyKey    string
	History           []Transition
	Build             *Build
	ProducedClassHash *starknet.Felt
	ReceiptID         *uint64
	ReceiptURL        *string

	resolver *resolver.Resolver
	peers    *cohort.Cohort[*Job] // the jobs of the same read
}

// Transition is a state that a job reached.
type Transition struct {
	State scalar.Enum
	At    time.Time
}

// Build is what is known of a job's build.
type Build struct {
	Toolchain  verify.Toolchain
	Profile    string
	DurationMs uint64
	LogTail    string
}

// jobOf returns a job that was read by itself.
func jobOf(r *resolver.Resolver, j *verify.Job) *Job {
	job := viewOf(j)
	join(r, []*Job{job})
	return job
}

func viewOf(j *verify.Job) *Job {
	p := j.Package
	job := &Job{
		JobID: j.ID, ChainID: j.Chain, State: scalar.Enum(j.State), Terminal: j.State.Terminal(),
		SelectedClassHash: p.SelectedClassHash, ToolchainPolicyID: p.ToolchainPolicyID, PackageName: p.PackageName, TargetName: p.TargetName,
		ArtifactID: p.ArtifactID, ModulePath: p.ModulePath, SourceVisibility: scalar.Enum(p.SourceVisibility), RetentionPolicyID: p.RetentionPolicyID,
		CreatedAt: j.CreatedAt, UpdatedAt: j.UpdatedAt, UploadExpiresAt: j.UploadExpiresAt,
		SourceCommittedAt: j.SourceCommittedAt, SourceDeletedAt: j.SourceDeletedAt, FinishedAt: j.FinishedAt,
		PollAfterSeconds: int(verify.PollAfter.Seconds()), IdempotencyKey: j.IdempotencyKey, History: make([]Transition, len(j.History)),
		Build: buildOf(j.Build), ProducedClassHash: j.ProducedClassHash, ReceiptID: j.ReceiptID,
	}
	for i, move := range j.History {
		job.History[i] = Transition{scalar.Enum(move.State), move.At}
	}
	if f := j.Failure; f != nil {
		job.Retryable, job.FailureCode, job.FailureMessage = new(f.Code.Retryable()), new(scalar.Enum(f.Code)), &f.Message
	}
	if j.ReceiptID != nil {
		job.ReceiptURL = new(pathOf(j) + "/receipt")
	}
	return job
}

func buildOf(b *verify.Build) *Build {
	if b == nil {
		return nil
	}
	return &Build{b.Toolchain, b.Profile, uint64(b.Duration.Milliseconds()), b.LogTail}
}

// pathOf returns the path of a job in REST, which receives its source and serves
// its receipt.
func pathOf(j *verify.Job) string { return "/v1/" + string(j.Chain) + "/verification-jobs/" + j.ID }
