package verify_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/verify"
)

// TestTheDrawnStatesAreTheTable compares the diagram of docs/verification.md
// with the table of transitions.
func TestTheDrawnStatesAreTheTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/verification.md")
	if err != nil {
		t.Fatal(err)
	}
	_, diagram, found := strings.Cut(string(text), "```mermaid\nstateDiagram-v2\n")
	diagram, _, closed := strings.Cut(diagram, "```")
	if !found || !closed {
		t.Fatal("got no state diagram, want one")
	}
	var drawn []string
	for _, arrow := range regexp.MustCompile(`(?m)^ +(\S+) --> (\S+)$`).FindAllStringSubmatch(diagram, -1) {
		drawn = append(drawn, arrow[1]+" to "+arrow[2])
	}
	want := []string{"[*] to " + string(verify.AwaitingUpload)}
	for _, state := range verify.States {
		if state.Terminal() {
			want = append(want, string(state)+" to [*]")
		}
		for _, next := range verify.Transitions[state] {
			want = append(want, string(state)+" to "+string(next))
		}
	}
	slices.Sort(drawn)
	slices.Sort(want)
	if diff := cmp.Diff(want, drawn); diff != "" {
		t.Errorf("transitions (-table +diagram):\n%s", diff)
	}
	for _, code := range verify.FailureCodes {
		row := "| `" + string(code) + "` | " + map[bool]string{true: "yes", false: "no"}[code.Retryable()] + " |"
		if !strings.Contains(string(text), row) {
			t.Errorf("got no row %q in the document, want one", row)
		}
	}
}

func TestEveryStateThatIsNotTerminalCanFailAndBeCancelled(t *testing.T) {
	t.Parallel()
	terminal := []verify.State{verify.Succeeded, verify.Mismatch, verify.Failed, verify.Cancelled, verify.Expired}
	for _, state := range verify.States {
		ends := slices.Contains(terminal, state)
		if state.Terminal() != ends || state.May(verify.Failed) == ends || state.May(verify.Cancelled) == ends {
			t.Errorf("%s: got terminal %t, may fail %t and be cancelled %t, want %t and twice %t",
				state, state.Terminal(), state.May(verify.Failed), state.May(verify.Cancelled), ends, !ends)
		}
		if state.May(verify.Expired) != (state == verify.AwaitingUpload) {
			t.Errorf("%s: got may expire %t, want that only of %s", state, state.May(verify.Expired), verify.AwaitingUpload)
		}
	}
}

func TestOnlyFailuresOfTheServiceAreRetryable(t *testing.T) {
	t.Parallel()
	retryable := []verify.FailureCode{verify.DispatchFailed, verify.SigningFailed, verify.DeclarationUnavailable}
	for _, code := range verify.FailureCodes {
		if code.Retryable() != slices.Contains(retryable, code) {
			t.Errorf("%s: got retryable %t, want %t", code, code.Retryable(), !code.Retryable())
		}
	}
}
