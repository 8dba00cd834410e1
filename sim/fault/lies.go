package fault

import (
	_ "embed"
	"iter"
	"maps"
	"slices"
	"strings"
)

//go:generate go test -count=1 -run=^TestEveryFieldAndItemHasALie$ .. -update

//go:embed lies.txt
var lieNames string

// Lies lists the name of every lie in alphabetical order: one for each field
// that the simulated node returns in a block, a state update or a class, and one
// for each list whose items can be dropped, duplicated or swapped. A list of
// felts has a lie of its own name, which changes one felt.
var Lies = strings.Fields(lieNames)

// The methods whose results a lie falsifies.
const (
	methodBlock       = "starknet_getBlockWithReceipts"
	methodStateUpdate = "starknet_getStateUpdate"
	methodClass       = "starknet_getClass"
)

// LieMethod returns the method whose result a lie falsifies.
func LieMethod(lie string) string {
	switch part, _, _ := strings.Cut(lie, "."); part {
	case "state_update", "state_diff":
		return methodStateUpdate
	case "class":
		return methodClass
	}
	return methodBlock
}

// LiesAbout lists the lies that a result of a method has a place for. The result
// is a JSON object as encoding/json decodes it into any, with json.Number.
func LiesAbout(method string, result any) []string {
	names := map[string]bool{}
	for name := range places(method, result) {
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Falsify tells a lie in a result, at the first place that it fits, and reports
// whether there is one. It changes the result in place.
func Falsify(lie, method string, result any) bool {
	change := findPlace(lie, method, result)
	if change != nil {
		change()
	}
	return change != nil
}

func findPlace(lie, method string, result any) func() {
	for name, change := range places(method, result) {
		if name == lie {
			return change
		}
	}
	return nil
}

// Lying reports whether an active lie falsifies results of a method.
func (s *Set) Lying(method string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.active, func(c *counted) bool { return c.matches(Lie, method) && LieMethod(c.Lie) == method })
}

// Falsify tells every active lie in a method's result about a block, and counts
// those that the result has a place for. It changes the result in place.
func (s *Set) Falsify(method string, result any, block, head uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range slices.Clone(s.active) {
		if !c.matches(Lie, method) || !c.concerns(block, head) {
			continue
		}
		if change := findPlace(c.Lie, method, result); change != nil && s.count(c) {
			change()
		}
	}
}

// concerns reports whether a lie is about a block while another is the head.
func (f *Fault) concerns(block, head uint64) bool {
	if f.Block != nil {
		return block == *f.Block
	}
	return f.Depth == 0 || block+f.Depth > head
}

// places iterates over the places in a result that a lie can change.
func places(method string, result any) iter.Seq2[string, func()] {
	object, _ := result.(map[string]any)
	return func(yield func(string, func()) bool) {
		w := walk{yield: yield}
		switch method {
		case methodBlock:
			w.block(object)
		case methodStateUpdate:
			w.stateUpdate(object)
		case methodClass:
			w.class(object)
		}
	}
}
