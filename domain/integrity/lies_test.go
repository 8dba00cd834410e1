package integrity

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// uncommitted are the fields of a block and its state update that no hash
// commits to (see doc.go). Those marked as checked are compared with another
// answer where blocks are derived.
var uncommitted = map[string]string{
	"block.status": "finality is not part of a block",
	"block.transactions.receipt.finality_status":            "finality is not part of a block",
	"block.transactions.receipt.execution_resources.l2_gas": "receipts hash zero instead",
	"update.new_root": "checked: it must be the block's",
	"update.old_root": "checked: Continues",
	"block.transactions.receipt.actual_fee.unit L1_HANDLER": "the version of an L1 handler does not tell the unit",
}

var (
	index  = regexp.MustCompile(`\[\d+\]`)
	inDiff = regexp.MustCompile(`^update\.state_diff(\.\w+)+ swapped$`)
)

// TestAnyChangeOfOneFieldIsFound changes the JSON of simulated blocks in every
// possible place, one at a time: values are replaced, items of lists dropped,
// repeated and swapped.
func TestAnyChangeOfOneFieldIsFound(t *testing.T) {
	t.Parallel()
	tried := make(map[string]int)
	for _, a := range simulated(t, 30) {
		document := map[string]any{"block": generic(t, a.block), "update": generic(t, a.update)}
		walk(document, "", func(path string) bool {
			kind := kindOf(path, a.block)
			tried[kind]++
			return tried[kind] <= 2
		}, func(path string) {
			kind := kindOf(path, a.block)
			var lie struct {
				Block  starknet.BlockWithReceipts
				Update starknet.StateUpdate
			}
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			if json.Unmarshal(text, &lie) != nil {
				return // a node that sends this is refused anyway
			}
			_, err = Verify(facts.FullyVerified, domain.Mainnet, &lie.Block, &lie.Update)
			field, _, _ := strings.Cut(kind, " ")
			known := uncommitted[kind] != "" || uncommitted[field] != "" || inDiff.MatchString(kind)
			if (err == nil) != known {
				t.Errorf("block %d: changing %s (%s): got %v, want an error unless no hash commits to it (%v)", a.block.BlockNumber, path, kind, err, known)
			}
		})
	}
	for field := range uncommitted {
		if tried[field] == 0 {
			t.Errorf("got no %s in any block, want one", field)
		}
	}
	t.Logf("%d kinds of changes", len(tried))
}

// kindOf names the field without its place, with the type of an L1 handler.
func kindOf(path string, block *starknet.BlockWithReceipts) string {
	kind := index.ReplaceAllString(path, "")
	var tx int
	if n, _ := fmt.Sscanf(path, "block.transactions[%d]", &tx); n == 1 {
		of := &block.Transactions[min(tx, len(block.Transactions)-1)].Transaction
		if strings.HasSuffix(kind, ".unit") && of.Type != starknet.L1Handler {
			return kind + " " + of.Version.String()
		}
		if strings.HasPrefix(kind, "block.transactions.transaction.") || strings.HasSuffix(kind, ".unit") {
			return kind + " " + string(of.Type)
		}
	}
	return kind
}

func generic(t *testing.T, v any) (document any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// walk changes each place of a document for which want is true, calls changed,
// and restores it.
func walk(node any, path string, want func(string) bool, changed func(string)) {
	set := func(put func(any), old any, at string) {
		if value := other(old); value != nil && want(at) {
			put(value)
			changed(at)
			put(old)
		}
		if list, ok := old.([]any); ok {
			for act, value := range reordered(list) {
				if want(at + " " + act) {
					put(value)
					changed(at + " " + act)
					put(old)
				}
			}
		}
	}
	switch node := node.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(keysOf(node)) {
			at := strings.TrimPrefix(path+"."+key, ".")
			set(func(v any) { node[key] = v }, node[key], at)
			walk(node[key], at, want, changed)
		}
	case []any:
		for i := range node {
			at := fmt.Sprintf("%s[%d]", path, i)
			set(func(v any) { node[i] = v }, node[i], at)
			walk(node[i], at, want, changed)
		}
	}
}

func keysOf(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// others are the values of enumerations beside each.
var others = map[string]string{
	"SUCCEEDED": "REVERTED", "REVERTED": "SUCCEEDED", "WEI": "FRI", "FRI": "WEI", "BLOB": "CALLDATA", "L1": "L2",
	"ACCEPTED_ON_L2": "ACCEPTED_ON_L1", "INVOKE": "L1_HANDLER",
}

// other returns a different value of the same type, or nil.
func other(v any) any {
	switch v := v.(type) {
	case float64:
		return v + 1
	case string:
		if value, ok := others[v]; ok {
			return value
		}
		if strings.HasPrefix(v, "0x") {
			last := v[len(v)-1]
			if last == '1' {
				return v[:len(v)-1] + "2"
			}
			return v[:len(v)-1] + "1"
		}
		return v + "1"
	}
	return nil
}

// reordered returns a list with an item less, with one twice, and with two that
// changed places.
func reordered(list []any) map[string]any {
	lists := make(map[string]any)
	if len(list) > 0 {
		lists["dropped"] = list[:len(list)-1]
		lists["repeated"] = append(slices.Clone(list), list[len(list)-1])
	}
	for i := 1; i < len(list); i++ {
		if fmt.Sprint(list[i]) != fmt.Sprint(list[i-1]) {
			swapped := slices.Clone(list)
			swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
			lists["swapped"] = swapped
			break
		}
	}
	return lists
}
