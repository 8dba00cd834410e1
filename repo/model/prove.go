package model

import (
	"database/sql/driver"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/prove"
)

// ProveJob is a proof job.
type ProveJob struct {
	bun.BaseModel `bun:"table:prove_jobs,alias:pj"`

	ID                string           `bun:"id,pk"`
	Number            int64            `bun:"number,autoincrement"`
	Workspace         string           `bun:"workspace"`
	KeyID             string           `bun:"key_id"`
	IdempotencyDigest []byte           `bun:"idempotency_digest"`
	RequestDigest     []byte           `bun:"request_digest"`
	Status            ProveStatus      `bun:"status"`
	AttemptCount      int64            `bun:"attempt_count"`
	ErrorCode         *int64           `bun:"error_code"`
	ResultState       ProveResultState `bun:"result_state"`
	Holder            string           `bun:"holder"`
	HolderAddress     string           `bun:"holder_address"`
	HeartbeatAt       time.Time        `bun:"heartbeat_at,nullzero,default:now()"`
	Place             int64            `bun:"place,nullzero,default:nextval('prove_places')"`
	CreatedAt         time.Time        `bun:"created_at"`
	QueuedAt          time.Time        `bun:"queued_at"`
	DispatchedAt      *time.Time       `bun:"dispatched_at"`
	CompletedAt       *time.Time       `bun:"completed_at"`
}

// ProveBudget counts the jobs that a key created in a UTC day.
type ProveBudget struct {
	bun.BaseModel `bun:"table:prove_budgets,alias:pb"`

	KeyID string    `bun:"key_id,pk"`
	Day   time.Time `bun:"day,pk"`
	Used  int64     `bun:"used"`
}

// ProveStatus is the status of a proof job, stored as its index in
// prove.Statuses. New ones are only appended to that list; those below
// ProveTerminal are not terminal.
type ProveStatus prove.Status

// ProveTerminal is the stored form of the first terminal status.
const ProveTerminal = 2

// ProveResultState is where the result of a proof job is, stored as its index in
// prove.ResultStates.
type ProveResultState prove.ResultState

// The values in the order of their stored form.
var (
	proveStatuses     = listOf[ProveStatus](prove.Statuses)
	proveResultStates = listOf[ProveResultState](prove.ResultStates)
)

// listOf converts a list of the domain.
func listOf[To, From ~string](values []From) (list []To) {
	for _, v := range values {
		list = append(list, To(v))
	}
	return list
}

// Value implements driver.Valuer.
func (s ProveStatus) Value() (driver.Value, error) {
	return enumValue("a status of a proof job", s, proveStatuses)
}

// Scan implements sql.Scanner.
func (s *ProveStatus) Scan(src any) (err error) {
	*s, err = scanEnum("a status of a proof job", src, proveStatuses)
	return err
}

// Value implements driver.Valuer.
func (s ProveResultState) Value() (driver.Value, error) {
	return enumValue("a state of a proof result", s, proveResultStates)
}

// Scan implements sql.Scanner.
func (s *ProveResultState) Scan(src any) (err error) {
	*s, err = scanEnum("a state of a proof result", src, proveResultStates)
	return err
}
