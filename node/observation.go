package node

import "time"

// Outcome is how an attempt ended. It is a metric label with few values.
type Outcome string

// The outcomes of an attempt.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeNodeError Outcome = "node_error" // the node answered with an error
	OutcomeFault     Outcome = "fault"      // the upstream failed
	OutcomeGivenUp   Outcome = "given_up"   // the caller cancelled
	OutcomeBusy      Outcome = "busy"       // rejected before any attempt
)

// Observation is the outcome of one attempt at one upstream.
type Observation struct {
	Upstream string // its host; empty if no upstream was chosen
	Method   string
	Outcome  Outcome
	Took     time.Duration
}
