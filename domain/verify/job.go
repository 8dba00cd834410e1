package verify

import (
	"crypto/rand"
	"encoding/base32"
	"regexp"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// UploadWindow is how long a job waits for its source.
const UploadWindow = 30 * time.Minute

// PollAfter is how long a client should wait before it reads a job again.
const PollAfter = 5 * time.Second

// Job is a verification job. It belongs to one workspace, and no other may learn
// of it.
type Job struct {
	ID             string
	Number         uint64 // grows with every job; the order of lists
	Chain          domain.Chain
	Workspace      string
	IdempotencyKey string
	Package        Package
	State          State
	Failure        *Failure // set if the state is Failed or Mismatch

	CreatedAt         time.Time
	UpdatedAt         time.Time // of the last move
	UploadExpiresAt   time.Time
	SourceCommittedAt *time.Time
	SourceExpiresAt   *time.Time // set with SourceCommittedAt
	SourceDeletedAt   *time.Time
	FinishedAt        *time.Time // set if the state is terminal

	// History has every state of the job, from AwaitingUpload to State.
	History []Transition

	// Lease is the last attempt at building the job. It is only known where a
	// building job is changed; nil elsewhere.
	Lease *Lease

	Build             *Build         // nil until the build has ended
	ProducedClassHash *starknet.Felt // nil until the build gave a class
	ReceiptID         *uint64        // nil unless the state is Succeeded
}

// Transition is a row of a job's history. Rows are only ever added.
type Transition struct {
	State State
	At    time.Time
}

// Build is what is known of a job's build.
type Build struct {
	Toolchain Toolchain
	Profile   string
	Duration  time.Duration
	LogTail   string // the last lines of the compiler's output
}

// Toolchain is the compiler that a deployment has pinned.
type Toolchain struct {
	Name    string
	Version string
	Digest  string
}

// Position is the place of the job in the list of its workspace.
func (j *Job) Position() domain.Position { return domain.Position{j.Number} }

// AsOf returns the job as it was when it had reached the move of its history with
// that index. The last one gives the job itself.
func (j *Job) AsOf(move int) *Job {
	if move == len(j.History)-1 {
		return j
	}
	then, next := *j, j.History[move+1]
	then.State, then.UpdatedAt, then.History = j.History[move].State, j.History[move].At, j.History[:move+1:move+1]
	then.Failure, then.FinishedAt, then.ProducedClassHash, then.ReceiptID = nil, nil, nil, nil // known when a job ends
	if then.State != Comparing {
		then.Build = nil
	}
	if then.State == AwaitingUpload {
		then.SourceCommittedAt, then.SourceExpiresAt = nil, nil
	}
	if d := j.SourceDeletedAt; d != nil && !d.Before(next.At) {
		then.SourceDeletedAt = nil
	}
	return &then
}

// committed reports whether the job has accepted its source.
func (j *Job) committed() bool { return j.SourceCommittedAt != nil }

// overdue reports whether the upload window has ended without a source.
func (j *Job) overdue(now time.Time) bool {
	return j.State == AwaitingUpload && !now.Before(j.UploadExpiresAt)
}

const (
	idPrefix = "vrf_"
	idBytes  = 16
)

var (
	idForm     = regexp.MustCompile(`^` + idPrefix + `[a-z2-7]{26}$`)
	idEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)
)

// newID returns a random ID: vrf_ and 26 characters.
func newID() string {
	var random [idBytes]byte
	_, _ = rand.Read(random[:]) // never fails
	return idPrefix + strings.ToLower(idEncoding.EncodeToString(random[:]))
}
