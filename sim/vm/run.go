package vm

import (
	"fmt"

	"astrolabe/sim/state"
	"astrolabe/starknet"
)

// run is the execution of a transaction or a read.
type run struct {
	library     Library
	state       *state.Overlay
	block       *starknet.PreConfirmedHeader
	transaction *starknet.Transaction
	trusted     bool
	tracing     bool
	lastTrace   *Invocation // of the last top-level call
	maxEvents   int

	events   []starknet.Event
	messages []starknet.MessageToL1
	usage    usage
}

// usage counts what determines the cost of a transaction.
type usage struct {
	calls, writes, deploys int
}

func (r *run) classAt(address starknet.Felt) (*Class, error) {
	hash := r.state.Read(state.ClassCell(address))
	if hash.IsZero() {
		return nil, ErrNoContract
	}
	class, ok := r.library.Class(hash)
	if !ok {
		return nil, ErrNotDeclared
	}
	return class, nil
}

// call runs an entry point; from is the calling call, or nil at the top level.
func (r *run) call(kind EntryPointType, address, caller, selector starknet.Felt, calldata []starknet.Felt, from *Call) ([]starknet.Felt, error) {
	class, err := r.classAt(address)
	if err != nil {
		return nil, &CallError{address, starknet.Felt{}, selector, err}
	}
	return r.execute(class, &Call{Address: address, Caller: caller, Selector: selector, Calldata: calldata, kind: kind}, "CALL", from)
}

// libraryCall runs an entry point of a declared class as if it belonged to the
// contract of the calling call.
func (r *run) libraryCall(kind EntryPointType, hash, selector starknet.Felt, calldata []starknet.Felt, from *Call) ([]starknet.Felt, error) {
	class, ok := r.library.Class(hash)
	if !ok || r.state.Read(state.DeclaredCell(hash)).IsZero() {
		return nil, &CallError{from.Address, hash, selector, ErrNotDeclared}
	}
	call := &Call{Address: from.Address, Caller: from.Caller, Selector: selector, Calldata: calldata, kind: kind}
	return r.execute(class, call, "LIBRARY_CALL", from)
}

// execute runs a call with the code of a class.
func (r *run) execute(class *Class, call *Call, callType string, from *Call) ([]starknet.Felt, error) {
	call.ClassHash, call.run = class.Hash, r
	if from != nil {
		call.depth = from.depth + 1
	}
	if r.tracing {
		call.trace = newInvocation(callType, call)
		if from != nil {
			from.trace.Calls = append(from.trace.Calls, call.trace)
		} else {
			r.lastTrace = call.trace
		}
	}
	result, err := r.enter(class, call)
	if call.trace != nil {
		call.trace.finish(result, err)
	}
	if err != nil {
		return nil, &CallError{call.Address, class.Hash, call.Selector, err}
	}
	return result, nil
}

func (r *run) enter(class *Class, call *Call) ([]starknet.Felt, error) {
	if r.usage.calls++; r.usage.calls > maxCalls || call.depth > maxCallDepth {
		return nil, Panic("Out of gas")
	}
	if class.Program == nil {
		return nil, ErrNoBehaviour
	}
	function, ok := class.Program.function(call.kind, call.Selector)
	if !ok {
		return nil, ErrNoEntryPoint
	}
	return function(call)
}

// deploy creates a contract at an address and runs its constructor.
func (r *run) deploy(address, classHash, caller starknet.Felt, calldata []starknet.Felt, from *Call) error {
	if r.state.Read(state.DeclaredCell(classHash)).IsZero() {
		return fmt.Errorf("%w: %s", ErrNotDeclared, classHash)
	}
	if !r.state.Read(state.ClassCell(address)).IsZero() {
		return fmt.Errorf("%w: %s", ErrTaken, address)
	}
	r.state.Write(state.ClassCell(address), classHash)
	r.usage.deploys++
	if class, ok := r.library.Class(classHash); ok && class.Program == nil {
		return nil // the behaviour of its constructor is unknown
	}
	_, err := r.call(Constructor, address, caller, selectorConstructor, calldata, from)
	return err
}

// Read runs an external function on a state and discards its writes.
func Read(library Library, on state.Reader, block *starknet.PreConfirmedHeader, address, selector starknet.Felt, calldata []starknet.Felt) ([]starknet.Felt, error) {
	r := &run{library: library, state: state.NewOverlay(on), block: block, maxEvents: MaxEvents}
	return r.call(External, address, starknet.Felt{}, selector, calldata, nil)
}
