package prove

import (
	"crypto/rand"
	"encoding/base32"
	"regexp"
	"strings"
	"time"

	"astrolabe/domain"
)

// PollAfter is how long a client should wait before it polls a job again.
const PollAfter = 5 * time.Second

// ResultLife is how long a result is kept for its delivery.
const ResultLife = 15 * time.Minute

// DigestLife is how long an idempotency key is remembered.
const DigestLife = 30 * 24 * time.Hour

// Job is a proof job. It belongs to one workspace, and no other may learn of it.
type Job struct {
	ID        string
	Number    uint64 // grows with every job; the order of lists
	Workspace string
	Key       string // the public ID of the API key that submitted it last
	Status    Status
	Attempts  int    // how often it was dispatched
	Code      *int64 // the prover's error code; set if the status is Failed
	Result    ResultState
	Holder    Holder
	Place     int64 // in the queue; a new one each time the job is queued
	Position  int   // in the queue of its holder, from 1; 0 unless the status is Queued

	CreatedAt    time.Time
	QueuedAt     time.Time
	DispatchedAt *time.Time
	CompletedAt  *time.Time // set if the status is terminal

	// Request is the keyed digest of the request; nil once it is forgotten.
	Request []byte
}

// Holder is the process that has accepted a job.
type Holder struct {
	ID      string // drawn when the process starts
	Address string // of its listener for other processes; empty if it has none
}

// ResultState says where the content is that a terminal job delivers: the result
// of a succeeded job, or the full error of a failed one.
type ResultState string

// The states of a result.
const (
	NoResult  ResultState = "none"      // the job delivers nothing
	Held      ResultState = "held"      // in the memory of the holder
	Delivered ResultState = "delivered" // given to a poll
	Expired   ResultState = "expired"   // dropped by its age, or with its holder
)

// ResultStates lists every state of a result.
var ResultStates = []ResultState{NoResult, Held, Delivered, Expired}

// ResultGone reports whether the job succeeded and no longer holds its result.
func (j *Job) ResultGone() bool {
	return j.Status == Succeeded && (j.Result == Delivered || j.Result == Expired)
}

// Source says who decided on an error.
type Source string

// The sources of errors.
const (
	FromProver Source = "prover" // passed through
	FromRelay  Source = "relay"  // the relay's own
)

// CodeDeliveryUnknown is the error code of jobs with the status UnknownDelivery.
const CodeDeliveryUnknown domain.Code = "prover_delivery_unknown"

// Failure is the error of a job.
type Failure struct {
	Source Source
	Number *int64      // the prover's code; nil if the error is the relay's own
	Code   domain.Code // the relay's own code; empty otherwise
}

// Failure returns why the job did not succeed; nil if it did or may still do so.
// The message and data of the prover are in its payload.
func (j *Job) Failure() *Failure {
	switch j.Status {
	case Failed:
		return &Failure{Source: FromProver, Number: j.Code}
	case Unavailable:
		return &Failure{Source: FromRelay, Code: domain.CodeProverUnavailable}
	case UnknownDelivery:
		return &Failure{Source: FromRelay, Code: CodeDeliveryUnknown}
	case Queued, Dispatched, Succeeded:
	}
	return nil
}

// ListPosition is the place of the job in the list of its workspace.
func (j *Job) ListPosition() domain.Position { return domain.Position{j.Number} }

// expire shows a held result as expired once its time is over, before the row
// says so.
func (j *Job) expire(now time.Time) {
	if j.Result == Held && j.CompletedAt != nil && !now.Before(j.CompletedAt.Add(ResultLife)) {
		j.Result = Expired
	}
}

const (
	idPrefix = "prv_"
	idBytes  = 16
)

var (
	idForm     = regexp.MustCompile(`^` + idPrefix + `[a-z2-7]{26}$`)
	idEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)
)

// newID returns a random ID: a prefix and 26 characters.
func newID(prefix string) string {
	var random [idBytes]byte
	_, _ = rand.Read(random[:]) // never fails
	return prefix + strings.ToLower(idEncoding.EncodeToString(random[:]))
}
