package model

import (
	"database/sql/driver"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/verify"
	"astrolabe/starknet"
)

// VerificationJob is a verification job.
type VerificationJob struct {
	bun.BaseModel `bun:"table:verification_jobs,alias:vj"`

	ID                string            `bun:"id,pk"`
	Number            int64             `bun:"number,autoincrement"`
	Chain             Chain             `bun:"chain"`
	Workspace         string            `bun:"workspace"`
	IdempotencyKey    string            `bun:"idempotency_key"`
	Package           json.RawMessage   `bun:"package,type:jsonb"`
	State             VerificationState `bun:"state"`
	FailureCode       *string           `bun:"failure_code"`
	FailureMessage    *string           `bun:"failure_message"`
	CreatedAt         time.Time         `bun:"created_at"`
	UpdatedAt         time.Time         `bun:"updated_at"`
	UploadExpiresAt   time.Time         `bun:"upload_expires_at"`
	SourceCommittedAt *time.Time        `bun:"source_committed_at"`
	SourceExpiresAt   *time.Time        `bun:"source_expires_at"`
	SourceDeletedAt   *time.Time        `bun:"source_deleted_at"`
	FinishedAt        *time.Time        `bun:"finished_at"`
	Build             json.RawMessage   `bun:"build,type:jsonb,nullzero"`
	ProducedClassHash *starknet.Felt    `bun:"produced_class_hash"`
	ReceiptID         *int64            `bun:"receipt_id"`
}

// VerificationTransition is a state in the history of a verification job.
type VerificationTransition struct {
	bun.BaseModel `bun:"table:verification_history,alias:vh"`

	Job   string            `bun:"job,pk"`
	Seq   int64             `bun:"seq,pk"` // from 1
	State VerificationState `bun:"state"`
	At    time.Time         `bun:"at"`
}

// VerificationSource is a piece of an uploaded archive.
type VerificationSource struct {
	bun.BaseModel `bun:"table:verification_sources,alias:vs"`

	Job   string `bun:"job,pk"`
	Part  int64  `bun:"part,pk"` // from 0
	Bytes []byte `bun:"bytes"`
}

// VerificationCreates counts the jobs that a workspace created in a UTC day.
type VerificationCreates struct {
	bun.BaseModel `bun:"table:verification_creates,alias:vc"`

	Workspace string    `bun:"workspace,pk"`
	Day       time.Time `bun:"day,pk"`
	Created   int64     `bun:"created"`
}

// VerificationBuilder is a process that builds contracts.
type VerificationBuilder struct {
	bun.BaseModel `bun:"table:verification_builders,alias:vb"`

	ID               string          `bun:"id,pk"`
	ToolchainName    string          `bun:"toolchain_name"`
	ToolchainVersion string          `bun:"toolchain_version"`
	ToolchainDigest  string          `bun:"toolchain_digest"`
	Ready            bool            `bun:"ready"`
	ReasonCode       string          `bun:"reason_code"` // empty when it is ready
	Reason           string          `bun:"reason"`
	SeenAt           time.Time       `bun:"seen_at"`
	Measures         json.RawMessage `bun:"measures,type:jsonb"` // a list of verify.Measure
}

// VerificationBuild is the last attempt at building a job.
type VerificationBuild struct {
	bun.BaseModel `bun:"table:verification_builds,alias:vl"`

	Job       string    `bun:"job,pk"`
	Builder   string    `bun:"builder"`
	Attempt   int64     `bun:"attempt"` // from 1
	ClaimedAt time.Time `bun:"claimed_at"`
	SeenAt    time.Time `bun:"seen_at"` // of the last renewal
}

// VerificationCandidate is a class that was built and is not compared yet.
type VerificationCandidate struct {
	bun.BaseModel `bun:"table:verification_candidates,alias:vd"`

	Job     string    `bun:"job,pk"`
	Class   []byte    `bun:"class"` // the Sierra class as JSON
	BuiltAt time.Time `bun:"built_at"`
}

// VerificationState is the state of a verification job, stored as its index in
// verify.States. New states are only appended to that list; those below
// VerificationTerminal are not terminal.
type VerificationState verify.State

// VerificationTerminal is the stored form of the first terminal state.
const VerificationTerminal = 5

// verificationStates are the states in the order of their stored form.
var verificationStates = listOf[VerificationState](verify.States)

// Value implements driver.Valuer.
func (s VerificationState) Value() (driver.Value, error) {
	return enumValue("a state of a verification job", s, verificationStates)
}

// Scan implements sql.Scanner.
func (s *VerificationState) Scan(src any) (err error) {
	*s, err = scanEnum("a state of a verification job", src, verificationStates)
	return err
}
