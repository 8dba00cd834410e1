package node

import "time"

// Outcome is how an attempt ended, in one word of a bounded set.
type Outcome string

// The outcomes.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeNodeError Outcome = "node_error" // the node answered with an error
	OutcomeFault     Outcome = "fault"      // the upstream failed
	OutcomeGivenUp   Outcome = "given_up"   // the caller went away
	OutcomeBusy      Outcome = "busy"       // turned away before any attempt
)

// Observation tells how one attempt at one upstream ended.
type Observation struct {
	Upstream string // its host; empty when the call never got that far
	Method   string
	Outcome  Outcome
	Took     time.Duration
}
