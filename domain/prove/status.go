package prove

import "slices"

// Status is the status of a job.
type Status string

// The statuses.
const (
	Queued          Status = "queued"           // accepted, and waiting for the prover
	Dispatched      Status = "dispatched"       // being sent to the prover, or proven there
	Succeeded       Status = "succeeded"        // the prover returned a proof
	Failed          Status = "failed"           // the prover refused the request
	Unavailable     Status = "unavailable"      // the prover did nothing, so the same submission may be repeated
	UnknownDelivery Status = "unknown_delivery" // the prover may have received the request, and it is not sent again
)

// Statuses lists every status.
var Statuses = []Status{Queued, Dispatched, Succeeded, Failed, Unavailable, UnknownDelivery}

// Transitions lists the statuses that may follow each status. docs/prover.md draws this
// table.
var Transitions = map[Status][]Status{
	Queued:      {Dispatched, Unavailable},
	Dispatched:  {Succeeded, Failed, Unavailable, UnknownDelivery},
	Unavailable: {Queued}, // by a repeated submission
}

// Terminal reports whether a client should stop polling.
func (s Status) Terminal() bool { return s != Queued && s != Dispatched }

// May reports whether a job may move from s to the next status.
func (s Status) May(next Status) bool { return slices.Contains(Transitions[s], next) }
