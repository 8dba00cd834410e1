package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forms collects the members of each kind of object: of the block, its
// transactions by type and version, its receipts by type and outcome, events
// and messages.
type forms map[string]string

func (f forms) add(kind string, object map[string]any) {
	f[kind] = strings.Join(slices.Sorted(maps.Keys(object)), " ")
}

func (f forms) block(t *testing.T, text []byte) {
	t.Helper()
	var b map[string]any
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	f.add("block", b)
	for _, pair := range b["transactions"].([]any) {
		pair := pair.(map[string]any)
		tx, receipt := pair["transaction"].(map[string]any), pair["receipt"].(map[string]any)
		f.add("pair", pair)
		f.add(fmt.Sprint("transaction ", tx["type"], tx["version"]), tx)
		f.add(fmt.Sprint("receipt ", receipt["type"], receipt["execution_status"]), receipt)
		f.add("fee", receipt["actual_fee"].(map[string]any))
		f.add("resources", receipt["execution_resources"].(map[string]any))
		for _, e := range receipt["events"].([]any) {
			f.add("event", e.(map[string]any))
		}
		for _, m := range receipt["messages_sent"].([]any) {
			f.add("message", m.(map[string]any))
		}
	}
}

func (f forms) update(t *testing.T, text []byte) {
	t.Helper()
	var u map[string]any
	if err := json.Unmarshal(text, &u); err != nil {
		t.Fatal(err)
	}
	f.add("state update", u)
	diff := u["state_diff"].(map[string]any)
	delete(diff, "migrated_compiled_classes") // optional
	f.add("state difference", diff)
	for list, items := range diff {
		for _, item := range items.([]any) {
			if object, ok := item.(map[string]any); ok {
				f.add(list, object)
			}
		}
	}
}

// TestAnswersHaveTheFormOfRealOnes compares the members of every kind of object with
// those in blocks and state updates of the real chains.
func TestAnswersHaveTheFormOfRealOnes(t *testing.T) {
	t.Parallel()
	real := forms{}
	root := filepath.Join("..", "..", "shared", "data", "real")
	blocks, _ := filepath.Glob(filepath.Join(root, "SN_*", "blocks", "*.json"))
	updates, _ := filepath.Glob(filepath.Join(root, "SN_*", "state_updates", "*.json"))
	if len(blocks) == 0 || len(updates) == 0 {
		t.Skip("the folder of real chain data is not beside the repository")
	}
	for i, path := range append(blocks, updates...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if i < len(blocks) {
			real.block(t, text)
		} else {
			real.update(t, text)
		}
	}
	ours := forms{}
	c := connect(t, readOnly(t))
	for number := range uint64(71) {
		ours.block(t, c.call("starknet_getBlockWithReceipts", at(number)).Result)
		ours.update(t, c.call("starknet_getStateUpdate", at(number)).Result)
	}
	compared := 0
	for kind, members := range ours {
		if real[kind] == "" {
			continue
		}
		if compared++; real[kind] != members {
			t.Errorf("%s: got\n%s\nwant\n%s", kind, members, real[kind])
		}
	}
	if compared < 18 {
		t.Errorf("got %d kinds of object to compare, want at least 18", compared)
	}
}
