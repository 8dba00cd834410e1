package prove_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/prove"
	sim "astrolabe/sim/prover"
)

// TestTheDrawnStatusesAreTheTable compares the diagram of docs/prover.md with the
// table of transitions.
func TestTheDrawnStatusesAreTheTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/prover.md")
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
	want := []string{"[*] to " + string(prove.Queued)}
	for _, status := range prove.Statuses {
		if status.Terminal() {
			want = append(want, string(status)+" to [*]")
		}
		for _, next := range prove.Transitions[status] {
			want = append(want, string(status)+" to "+string(next))
		}
	}
	slices.Sort(drawn)
	slices.Sort(want)
	if diff := cmp.Diff(want, drawn); diff != "" {
		t.Errorf("transitions (-table +diagram):\n%s", diff)
	}
	for _, name := range sim.Names() {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("got no reply %q in the document, want it named", name)
		}
	}
}

func TestOnlyUnavailableJobsLeaveATerminalStatus(t *testing.T) {
	t.Parallel()
	for _, status := range prove.Statuses {
		if leaves := status.Terminal() && len(prove.Transitions[status]) > 0; leaves != (status == prove.Unavailable) {
			t.Errorf("%s: got leaves %t, want that only of %s", status, leaves, prove.Unavailable)
		}
	}
}
