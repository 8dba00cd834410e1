package verify

import "fmt"

// historyFault returns why a history is not one that Transitions allows from
// AwaitingUpload to a state, and the empty string if it is.
func historyFault(history []Transition, state State) string {
	if len(history) == 0 {
		return "it is empty"
	}
	if first := history[0].State; first != AwaitingUpload {
		return fmt.Sprintf("it begins with %s", first)
	}
	for i, move := range history[1:] {
		switch before := history[i]; {
		case !before.State.May(move.State):
			return fmt.Sprintf("it has %s after %s", move.State, before.State)
		case move.At.Before(before.At):
			return fmt.Sprintf("it has %s at an earlier time than %s", move.State, before.State)
		}
	}
	if last := history[len(history)-1].State; last != state {
		return fmt.Sprintf("it ends with %s, but the state of the job is %s", last, state)
	}
	return ""
}
