package starknet

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// allowedAdditions are fields that we write and old nodes omit.
var allowedAdditions = []string{"state_diff_length"}

// jsonDifference compares two documents by value: the order of keys does not matter and
// hexadecimal text is compared without padding. It returns the first difference or "".
func jsonDifference(want, got []byte) string {
	var w, g any
	if err := json.Unmarshal(want, &w); err != nil {
		return err.Error()
	}
	if err := json.Unmarshal(got, &g); err != nil {
		return err.Error()
	}
	return valueDifference("$", w, g)
}

func valueDifference(path string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: got %v, want an object", path, got)
		}
		for _, key := range slices.Sorted(maps.Keys(g)) {
			if _, ok := w[key]; !ok && !slices.Contains(allowedAdditions, key) {
				return fmt.Sprintf("%s.%s: got %v, want no such field", path, key, g[key])
			}
		}
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if d := valueDifference(path+"."+key, w[key], g[key]); d != "" {
				return d
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%s: got %v, want %d items", path, got, len(w))
		}
		for i := range w {
			if d := valueDifference(fmt.Sprintf("%s[%d]", path, i), w[i], g[i]); d != "" {
				return d
			}
		}
	default:
		if plainHex(want) != plainHex(got) {
			return fmt.Sprintf("%s: got %v, want %v", path, got, want)
		}
	}
	return ""
}

func plainHex(v any) any {
	if s, ok := v.(string); ok && strings.HasPrefix(s, "0x") {
		return "0x" + strings.TrimLeft(s[2:], "0")
	}
	return v
}
