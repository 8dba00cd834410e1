package verify

import "slices"

// State is the state of a verification job.
type State string

// The states, in the order in which a job passes them.
const (
	AwaitingUpload State = "awaiting_upload" // the package is accepted, the source is not committed
	Validating     State = "validating"      // the source is committed and its archive is being checked
	Queued         State = "queued"          // ready to be built
	Building       State = "building"        // being built in the sandbox
	Comparing      State = "comparing"       // the built class is being compared with the declaration
	Succeeded      State = "succeeded"       // the class was reproduced, and the receipt is signed
	Mismatch       State = "mismatch"        // the build gave another class
	Failed         State = "failed"          // a Failure says why
	Cancelled      State = "cancelled"       // the owner cancelled the job
	Expired        State = "expired"         // no source was committed in time
)

// States lists every state.
var States = []State{
	AwaitingUpload, Validating, Queued, Building, Comparing,
	Succeeded, Mismatch, Failed, Cancelled, Expired,
}

// Transitions lists the states that may follow each state. Terminal states have none.
// docs/verification.md draws this table.
var Transitions = map[State][]State{
	AwaitingUpload: {Validating, Failed, Cancelled, Expired},
	Validating:     {Queued, Failed, Cancelled},
	Queued:         {Building, Failed, Cancelled},
	Building:       {Comparing, Failed, Cancelled},
	Comparing:      {Succeeded, Mismatch, Failed, Cancelled},
}

// Terminal reports whether a job stays in the state forever.
func (s State) Terminal() bool { return len(Transitions[s]) == 0 }

// May reports whether a job may move from s to the next state.
func (s State) May(next State) bool { return slices.Contains(Transitions[s], next) }
