package sim

import (
	"testing"

	"astrolabe/sim/classes"
	"astrolabe/sim/contract"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// schemasByHash returns the ABIs of the compiled classes by their hashes.
func schemasByHash(t testing.TB) map[starknet.Felt]*abi.Schema {
	t.Helper()
	all, err := classes.Load()
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[starknet.Felt]*abi.Schema{}
	for _, class := range all {
		schema, err := class.Schema()
		if err != nil {
			t.Fatal(err)
		}
		schemas[class.Hash] = schema
	}
	return schemas
}

// TestProgramsHaveTheEntryPointsOfTheirClasses compares every program with its
// Cairo source.
func TestProgramsHaveTheEntryPointsOfTheirClasses(t *testing.T) {
	t.Parallel()
	programs := contract.Programs()
	for _, d := range testDocuments(t) {
		program := programs[d.Name]
		if program == nil {
			t.Errorf("class %s: got no program, want one", d.Name)
			continue
		}
		external, handlers := program.Selectors()
		ownExternal, ownHandlers := entryPoints(d.Class)
		for _, side := range []struct {
			kind           string
			program, class []starknet.Felt
		}{{"function", external, ownExternal}, {"L1 handler", handlers, ownHandlers}} {
			missing := map[starknet.Felt]bool{}
			for _, s := range side.class {
				missing[s] = true
			}
			for _, s := range side.program {
				if !missing[s] {
					t.Errorf("%s: got a %s %s in its program alone, want it in its class, too", d.Name, side.kind, s)
				}
				delete(missing, s)
			}
			for s := range missing {
				t.Errorf("%s: got a program without the %s %s, want one that has it", d.Name, side.kind, s)
			}
		}
	}
}

// entryPoints returns the selectors of a class's functions and L1 handlers.
func entryPoints(class starknet.Class) (external, handlers []starknet.Felt) {
	if class.Sierra != nil {
		for _, p := range class.Sierra.EntryPointsByType.External {
			external = append(external, p.Selector)
		}
		for _, p := range class.Sierra.EntryPointsByType.L1Handler {
			handlers = append(handlers, p.Selector)
		}
		return external, handlers
	}
	for _, p := range class.Deprecated.EntryPointsByType.External {
		external = append(external, p.Selector)
	}
	for _, p := range class.Deprecated.EntryPointsByType.L1Handler {
		handlers = append(handlers, p.Selector)
	}
	return external, handlers
}

// reading walks through traces with the ABIs.
type reading struct {
	t       *testing.T
	schemas map[starknet.Felt]*abi.Schema
	raw     starknet.Felt
	events  int
	calls   int
	proxied int
}

// invocation decodes calldata, result and events by the class in force.
func (r *reading) invocation(i *vm.Invocation) {
	r.calls++
	schema := r.schemas[i.ClassHash]
	if schema == nil {
		r.t.Errorf("got class %s, want one of ours", i.ClassHash)
		return
	}
	function := schema.Function(i.EntryPointSelector)
	switch i.EntryPointType {
	case vm.L1Handler:
		function = schema.L1Handler(i.EntryPointSelector)
	case vm.Constructor:
		function = schema.Constructor()
	}
	if function == nil && schema.Function(starknet.Felt{}) != nil { // a proxy, which forwards
		if len(i.Events) > 0 || len(i.Calls) != 1 || i.Calls[0].CallType != "LIBRARY_CALL" || i.Calls[0].ContractAddress != i.ContractAddress {
			r.t.Errorf("call %s of the proxy %s: got %d events and the calls %+v, want one LIBRARY_CALL of itself", i.EntryPointSelector, i.ContractAddress, len(i.Events), i.Calls)
			return
		}
		r.proxied++
		r.invocation(i.Calls[0])
		return
	}
	if function == nil {
		if i.EntryPointType != vm.Constructor {
			r.t.Errorf("class %s: got no %s %s, want one", i.ClassHash, i.EntryPointType, i.EntryPointSelector)
		}
		return
	}
	if _, err := function.DecodeInputs(i.Calldata); err != nil {
		r.t.Errorf("%s: calldata %v: got %v, want no error", function.Name, i.Calldata, err)
	}
	if _, err := function.DecodeOutputs(i.Result); err != nil {
		r.t.Errorf("%s: result %v: got %v, want no error", function.Name, i.Result, err)
	}
	for _, e := range i.Events {
		r.events++
		if i.EntryPointSelector == r.raw {
			continue
		}
		if _, err := schema.DecodeEvent(e.Keys, e.Data); err != nil {
			r.t.Errorf("%s: event %v %v: got %v, want no error", function.Name, e.Keys, e.Data, err)
		}
	}
	for _, inner := range i.Calls {
		r.invocation(inner)
	}
}

// TestEverythingFitsTheClassInForce decodes every call, result and event of a
// chain with the ABI of the class that was in force. Only the deliberately
// malformed events of the oddities do not fit.
func TestEverythingFitsTheClassInForce(t *testing.T) {
	t.Parallel()
	n := readOnly(t)
	r := &reading{t: t, schemas: schemasByHash(t), raw: starknet.Selector("emit_raw")}
	emitted := 0
	for number := uint64(1); number <= 100; number++ {
		traces, err := n.chain.Traces(number)
		if err != nil {
			t.Fatal(err)
		}
		b, err := n.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		for i, trace := range traces {
			emitted += len(b.Receipts[i].Events)
			for _, part := range []any{trace.ValidateInvocation, trace.ConstructorInvocation, trace.ExecuteInvocation, trace.FunctionInvocation, trace.FeeTransferInvocation} {
				if invocation, ok := part.(*vm.Invocation); ok && invocation != nil {
					r.invocation(invocation)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("block %d: got the failures above, want none", number)
		}
	}
	if r.events != emitted || r.calls < 1000 || r.proxied < 20 {
		t.Errorf("got %d events in %d calls, %d of them through a proxy; want %d events, at least 1000 calls and 20 through a proxy", r.events, r.calls, r.proxied, emitted)
	}
}
