package chain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

func TestTheCalldataOfAProxyIsTypedByEveryClassThatItMayExecute(t *testing.T) {
	t.Parallel()
	cairo0 := func(hash uint64, functions ...string) *facts.Class {
		return facts.StoredClass(starknet.FeltFromUint64(hash), false, []byte("["+strings.Join(functions, ",")+"]"), false)
	}
	function := func(name, input string) string {
		return `{"type":"function","name":"` + name + `","inputs":[{"name":"` + input + `","type":"felt"}],"outputs":[]}`
	}
	proxy := cairo0(1, function("__default__", "selector"), function("pause", "flag"))
	first, second := cairo0(2, function("set", "value"), function("pause", "until")), cairo0(3, function("set", "amount"))
	set := facts.Call{Selector: starknet.Selector("set"), Calldata: make([]starknet.Felt, 1)}
	pause := facts.Call{Selector: starknet.Selector("pause"), Calldata: set.Calldata}
	longer := facts.Call{Selector: set.Selector, Calldata: make([]starknet.Felt, 2)}
	for name, test := range map[string]struct {
		call    facts.Call
		runtime facts.Runtime
		want    []string
	}{
		"by the implementation":     {set, facts.Runtime{Before: proxy, After: proxy, ImplementationBefore: first, ImplementationAfter: first}, []string{"value"}},
		"by the proxy's own":        {pause, facts.Runtime{Before: proxy, After: proxy, ImplementationBefore: first, ImplementationAfter: first}, []string{"flag"}},
		"of another length":         {longer, facts.Runtime{Before: proxy, After: proxy, ImplementationBefore: first, ImplementationAfter: first}, nil},
		"unknown implementation":    {set, facts.Runtime{Before: proxy, After: proxy}, nil},
		"set up in the block":       {set, facts.Runtime{After: proxy, ImplementationAfter: first}, []string{"value"}},
		"upgraded to other inputs":  {set, facts.Runtime{Before: proxy, After: proxy, ImplementationBefore: first, ImplementationAfter: second}, nil},
		"upgraded to the same":      {pause, facts.Runtime{Before: proxy, After: proxy, ImplementationBefore: first, ImplementationAfter: second}, []string{"flag"}},
		"replaced by a plain class": {set, facts.Runtime{Before: proxy, After: first, ImplementationBefore: first}, []string{"value"}},
		"replaced by another class": {set, facts.Runtime{Before: proxy, After: second, ImplementationBefore: first}, nil},
	} {
		var got []string
		for _, field := range inputs(test.call, test.runtime) {
			got = append(got, field.Label)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
