package sim

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/sim/fault"
	"astrolabe/sim/spectest"
)

var update = flag.Bool("update", false, "write the list of lies")

// asked is a call whose result can be falsified.
type asked struct {
	method    string
	block     uint64
	arguments []any
}

// askable lists every call whose result can be falsified: blocks, state updates,
// and each class once.
func askable(t testing.TB, n *Node, blocks uint64) (all []asked) {
	t.Helper()
	for number := range blocks {
		all = append(all,
			asked{"starknet_getBlockWithReceipts", number, []any{at(number), []string{"INCLUDE_PROOF_FACTS"}}},
			asked{"starknet_getStateUpdate", number, []any{at(number)}})
		b, err := n.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		diff := b.StateUpdate.StateDiff
		for _, hash := range diff.DeprecatedDeclaredClasses {
			all = append(all, asked{"starknet_getClass", number, []any{at(number), hash}})
		}
		for _, class := range diff.DeclaredClasses {
			all = append(all, asked{"starknet_getClass", number, []any{at(number), class.ClassHash}})
		}
	}
	return all
}

func decoded(t testing.TB, text []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// TestEveryFieldAndItemHasALie compares the list of lies with what a chain with
// every shape returns.
func TestEveryFieldAndItemHasALie(t *testing.T) {
	t.Parallel()
	n := readOnly(t)
	c := connect(t, n)
	found := map[string]bool{}
	for _, a := range askable(t, n, longBlocks) {
		for _, lie := range fault.LiesAbout(a.method, decoded(t, c.call(a.method, a.arguments...).Result)) {
			found[lie] = true
		}
	}
	names := slices.Sorted(maps.Keys(found))
	if *update {
		if err := os.WriteFile("fault/lies.txt", []byte(strings.Join(names, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(fault.Lies, names); diff != "" {
		t.Errorf("the list of lies is out of date, run go generate ./sim/fault (-listed +found):\n%s", diff)
	}
}

// TestEachLieChangesOneThingAndStaysValid tells every lie through the node.
func TestEachLieChangesOneThingAndStaysValid(t *testing.T) {
	t.Parallel()
	spec := spectest.Read(t)
	n := testNode(t, Config{Blocks: longBlocks})
	c := connect(t, n)
	examples := map[string]asked{}
	for _, a := range askable(t, n, longBlocks) {
		for _, lie := range fault.LiesAbout(a.method, decoded(t, c.call(a.method, a.arguments...).Result)) {
			if _, known := examples[lie]; !known {
				examples[lie] = a
			}
		}
	}
	for _, lie := range fault.Lies {
		a := examples[lie]
		truth := decoded(t, c.call(a.method, a.arguments...).Result)
		put(t, n, fault.Fault{Kind: fault.Lie, Lie: lie, Block: &a.block})
		answer := c.call(a.method, a.arguments...).Result
		n.ClearFaults()
		if err := spec.CheckResult(a.method, answer); err != nil {
			t.Errorf("%s: got %v, want a result of the specification", lie, err)
		}
		if got, want := differences("$", truth, decoded(t, answer)), expected(lie); got != want {
			t.Errorf("%s: the differences are %q, want %q", lie, got, want)
		}
	}
	if got, want := n.Struck(fault.Lie), len(fault.Lies); got != want {
		t.Errorf("%d lies were told, want %d", got, want)
	}
}

func TestLiesAreToldAboutTheNewestBlocksAndAsOftenAsOrdered(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 10})
	c := connect(t, n)
	put(t, n, fault.Fault{Kind: fault.Lie, Lie: "header.timestamp", Depth: 3, Times: 4})
	told := ""
	for range 2 {
		for number := range uint64(11) {
			b, err := n.Block(number)
			if err != nil {
				t.Fatal(err)
			}
			var answer struct {
				Timestamp uint64 `json:"timestamp"`
			}
			c.result(&answer, "starknet_getBlockWithReceipts", at(number))
			told += map[bool]string{true: ".", false: "x"}[answer.Timestamp == b.Header.Timestamp]
		}
		told += " "
	}
	if want := "........xxx ........x.. "; told != want {
		t.Errorf("the lies were told as %q, want %q", told, want)
	}
}

// expected is the kind of difference that a lie makes.
func expected(lie string) string {
	switch {
	case lie == "receipts.swap":
		return "receipts swapped"
	case lie == "receipt.execution_status":
		return "another outcome"
	case strings.HasSuffix(lie, ".drop"):
		return "dropped"
	case strings.HasSuffix(lie, ".duplicate"):
		return "duplicated"
	case strings.HasSuffix(lie, ".swap"):
		return "swapped"
	case strings.HasSuffix(lie, ".move"):
		return "added and dropped"
	}
	return "changed"
}

// differences names the kinds of difference between two results.
func differences(path string, a, b any) string {
	if cmp.Equal(a, b) {
		return ""
	}
	if x, ok := a.(map[string]any); ok {
		y, ok := b.(map[string]any)
		if ok && x["execution_status"] != y["execution_status"] {
			x, y = maps.Clone(x), maps.Clone(y)
			for _, key := range []string{"execution_status", "revert_reason"} {
				delete(x, key)
				delete(y, key)
			}
			return strings.TrimSpace("another outcome " + differences(path, x, y))
		}
		if !ok || !slices.Equal(slices.Sorted(maps.Keys(x)), slices.Sorted(maps.Keys(y))) {
			return path + " has other members"
		}
		var all []string
		for key := range x {
			if d := differences(path+"."+key, x[key], y[key]); d != "" {
				all = append(all, d)
			}
		}
		slices.Sort(all)
		return strings.Join(all, " and ")
	}
	if x, ok := a.([]any); ok {
		return listDifferences(path, x, b.([]any))
	}
	if fmt.Sprintf("%T", a) != fmt.Sprintf("%T", b) {
		return path + " has another type"
	}
	return "changed"
}

func listDifferences(path string, x, y []any) string {
	first := 0
	for first < min(len(x), len(y)) && cmp.Equal(x[first], y[first]) {
		first++
	}
	switch {
	case len(y) == len(x)-1 && cmp.Equal(x[first+1:], y[first:]):
		return "dropped"
	case len(y) == len(x)+1 && cmp.Equal(x[first:], y[first+1:]) && first > 0 && cmp.Equal(y[first], y[first-1]):
		return "duplicated"
	case len(y) == len(x)+1 && first == len(x) && strings.HasPrefix(path, "$.state_diff."):
		return "added"
	case len(x) != len(y):
		return path + " has another length"
	case first+1 < len(x) && cmp.Equal(x[first], y[first+1]) && cmp.Equal(x[first+1], y[first]) && cmp.Equal(x[first+2:], y[first+2:]):
		return "swapped"
	case first+1 < len(x) && cmp.Equal(receiptOf(x[first]), receiptOf(y[first+1])) && cmp.Equal(receiptOf(x[first+1]), receiptOf(y[first])) && receiptOf(x[first]) != nil:
		return "receipts swapped"
	}
	for i := range x[first+1:] {
		if !cmp.Equal(x[first+1+i], y[first+1+i]) {
			return path + " has more than one difference"
		}
	}
	return differences(path, x[first], y[first])
}

func receiptOf(pair any) any {
	object, _ := pair.(map[string]any)
	return object["receipt"]
}
