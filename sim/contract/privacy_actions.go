package contract

import (
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// actionTransferFrom is the index of the action that makes a deposit.
const actionTransferFrom = 2

// poolAction reads one action's fields and executes it.
type poolAction func(p privacyPool, c *vm.Call, a *arguments) error

// poolActions are the variants of the ServerAction enum in its order.
var poolActions = [...]poolAction{
	0: writeCell, 1: writeCell,
	2: func(_ privacyPool, c *vm.Call, a *arguments) error {
		from, token, amount := a.felt(), a.felt(), a.felt()
		return callToken(c, a, token, callTransferFrom, from, c.Address, amount)
	},
	3: func(_ privacyPool, c *vm.Call, a *arguments) error {
		to, token, amount := a.felt(), a.felt(), a.felt()
		return callToken(c, a, token, callTransfer, to, amount)
	},
	4:  func(_ privacyPool, c *vm.Call, a *arguments) error { return relay(c, a, "ViewingKeySet", 0, 3) },
	5:  func(_ privacyPool, c *vm.Call, a *arguments) error { return relay(c, a, "Withdrawal", 3, 1) },
	6:  func(_ privacyPool, c *vm.Call, a *arguments) error { return relay(c, a, "Deposit", 0, 1) },
	7:  createOpenNote,
	8:  createNote,
	9:  useNote,
	10: invoking("privacy_invoke"),
	11: invoking("privacy_invoke_with_computation"),
}

// RawEvent is the cell whose write makes the pool emit an event of any keys and
// data. No real pool does that.
var RawEvent = starknet.Selector("emit_raw")

// writeCell is a write without an event, unless it is of RawEvent; this class
// ignores it.
func writeCell(_ privacyPool, c *vm.Call, a *arguments) error {
	cell, values := a.felt(), a.felts()
	if a.err != nil || cell != RawEvent {
		return a.err
	}
	return emit(c, &arguments{rest: values})
}

func callToken(c *vm.Call, a *arguments, token, function starknet.Felt, arguments ...starknet.Felt) error {
	if a.err != nil {
		return a.err
	}
	_, err := c.Invoke(token, function, append(arguments, starknet.Felt{})...)
	return err
}

// relay emits an event with the fields of the action: leading data, the two
// keys, and trailing data.
func relay(c *vm.Call, a *arguments, event string, before, after int) error {
	first, keys, last := a.take(before), a.take(2), a.take(after)
	if a.err != nil {
		return a.err
	}
	return c.Emit(append(names(event), keys...), append(first, last...))
}

// take reads a fixed number of felts.
func (a *arguments) take(n int) []starknet.Felt {
	felts := make([]starknet.Felt, n)
	for i := range felts {
		felts[i] = a.felt()
	}
	return felts
}

// openNote is the packed value of an empty open note.
var openNote = starknet.Felt{15: 1}

func createOpenNote(_ privacyPool, c *vm.Call, a *arguments) error {
	if len(a.rest) < 5 {
		a.fail()
		return a.err
	}
	token, note := a.rest[3], a.rest[4]
	cell := element(varNotes, note)
	c.Store(cell, openNote)
	c.Store(next(cell), token)
	return relay(c, a, "OpenNoteCreated", 3, 0)
}

func createNote(_ privacyPool, c *vm.Call, a *arguments) error {
	note, packed := a.felt(), a.felt()
	if a.err != nil {
		return a.err
	}
	c.Store(element(varNotes, note), packed)
	return c.Emit(append(names("EncNoteCreated"), note), []starknet.Felt{packed})
}

func useNote(_ privacyPool, c *vm.Call, a *arguments) error {
	nullifier := a.felt()
	cell := element(varNullifiers, nullifier)
	switch {
	case a.err != nil:
		return a.err
	case !c.Load(cell).IsZero():
		return vm.Panic("NOTE_ALREADY_USED")
	}
	c.Store(cell, starknet.FeltFromUint64(1))
	return c.Emit(append(names("NoteUsed"), nullifier), nil)
}

// invoking calls another contract; only the second class emits an event for it.
func invoking(function string) poolAction {
	selector := starknet.Selector(function)
	return func(p privacyPool, c *vm.Call, a *arguments) error {
		to, calldata := a.felt(), a.felts()
		if a.err != nil {
			return a.err
		}
		if _, err := c.Invoke(to, selector, calldata...); err != nil || !p.second {
			return err
		}
		return c.Emit(append(names("ExternalContractInvoked"), to, selector), nil)
	}
}
