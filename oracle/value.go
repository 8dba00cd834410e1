package oracle

import (
	"encoding/json"
	"time"

	"astrolabe/starknet"
)

// object is a JSON object.
type object = map[string]any

func iso(seconds uint64) string { return time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339) } //nolint:gosec // A block's time.

func stringOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func feltOrNull(f *starknet.Felt) any {
	if f == nil {
		return nil
	}
	return f.String()
}

func texts(felts []starknet.Felt) []string {
	list := []string{}
	for _, f := range felts {
		list = append(list, f.String())
	}
	return list
}

func render[T any](list []T, body func(T) object) []object {
	all := []object{}
	for _, item := range list {
		all = append(all, body(item))
	}
	return all
}

// same compares values by their JSON form.
func same(a, b any) bool {
	if first, isText := a.(string); isText { // most are
		second, isText := b.(string)
		return isText && first == second
	}
	first, _ := json.Marshal(a)
	second, _ := json.Marshal(b)
	return string(first) == string(second)
}
