package contract

import (
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varGovernance = storageVariable("governance_admin")
	varFeeToken   = storageVariable("fee_token")
	varFeeAmount  = storageVariable("fee_amount")
	varCollector  = storageVariable("fee_collector")
	varAuditor    = storageVariable("auditor_public_key")
	varValidity   = storageVariable("proof_validity_blocks")
	varScreener   = storageVariable("screener_public_key")
	varNotes      = storageVariable("notes")
	varNullifiers = storageVariable("nullifiers")
	varBlocked    = storageVariable("blocked_depositors")
	varPaused     = storageVariable("paused")

	eventOpenNoteDeposited = starknet.Selector("OpenNoteDeposited")
	eventDepositorBlock    = starknet.Selector("OpenNoteDepositorBlockSet")
	eventPaused            = starknet.Selector("Paused")
	eventUnpaused          = starknet.Selector("Unpaused")
)

// privacyPool is the pool's first class or, with screening, its second. It
// verifies no proofs: the caller passes the hidden part of an action.
type privacyPool struct{ second bool }

func (p privacyPool) program() *vm.Program {
	functions := with(replaceable(), vm.Functions{
		"apply_actions":             p.applyActions,
		"deposit_to_open_note":      p.depositToOpenNote,
		"get_fee_amount":            feltView(varFeeAmount),
		"get_fee_collector":         feltView(varCollector),
		"get_auditor_public_key":    feltView(varAuditor),
		"get_proof_validity_blocks": feltView(varValidity),
		"get_note": func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			cell := element(varNotes, a.felt())
			return []starknet.Felt{c.Load(cell), c.Load(next(cell))}, a.done()
		},
		"nullifier_exists":          mapView(varNullifiers, 1),
		"set_auditor_public_key":    setting(varAuditor, "AuditorPublicKeySet"),
		"set_fee_amount":            setting(varFeeAmount, "FeeAmountSet"),
		"set_fee_collector":         setting(varCollector, "FeeCollectorSet"),
		"set_proof_validity_blocks": setting(varValidity, "ProofValidityBlocksSet"),
		"is_paused":                 feltView(varPaused),
		"pause":                     pausing(true),
		"unpause":                   pausing(false),
	})
	if p.second {
		functions = with(functions, vm.Functions{
			"get_screener_public_key":        feltView(varScreener),
			"set_screener_public_key":        setting(varScreener, "ScreenerPublicKeySet"),
			"is_open_note_depositor_blocked": mapView(varBlocked, 1),
			"set_open_note_depositor_block":  blockDepositor,
		})
	}
	return vm.NewProgram(constructPool, functions, nil)
}

func constructPool(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	admin, token, auditor, validity := a.felt(), a.felt(), a.felt(), a.felt()
	if err := a.done(); err != nil {
		return nil, err
	}
	c.Store(varGovernance, admin)
	c.Store(varFeeToken, token)
	c.Store(varAuditor, auditor)
	c.Store(varValidity, validity)
	if err := c.Emit(names("AuditorPublicKeySet"), []starknet.Felt{auditor}); err != nil {
		return nil, err
	}
	return nil, c.Emit(names("ProofValidityBlocksSet"), []starknet.Felt{validity})
}

func governed(c *vm.Call, a *arguments) error {
	if err := a.done(); err != nil {
		return err
	}
	if c.Caller != c.Load(varGovernance) {
		return vm.Panic("ONLY_GOVERNANCE")
	}
	return nil
}

// setting sets a governed value and emits an event with it as the only data.
func setting(key variable, event string) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) {
		a := argumentsOf(c)
		value := a.felt()
		if err := governed(c, a); err != nil {
			return nil, err
		}
		c.Store(key, value)
		return nil, c.Emit(names(event), []starknet.Felt{value})
	}
}

func pausing(pause bool) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) {
		c.Store(varPaused, flag(pause)[0])
		event := eventUnpaused
		if pause {
			event = eventPaused
		}
		return nil, c.Emit([]starknet.Felt{event}, []starknet.Felt{c.Caller})
	}
}

func blockDepositor(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	depositor, blocked := a.felt(), a.felt()
	if err := governed(c, a); err != nil {
		return nil, err
	}
	c.Store(element(varBlocked, depositor), blocked)
	return nil, c.Emit([]starknet.Felt{eventDepositorBlock, depositor}, []starknet.Felt{blocked})
}

func (p privacyPool) applyActions(c *vm.Call) ([]starknet.Felt, error) {
	if !c.Load(varPaused).IsZero() {
		return nil, vm.Panic("PAUSED")
	}
	// The caller, not the pool, pays the fee.
	if fee := c.Load(varFeeAmount); !fee.IsZero() {
		if _, err := c.Invoke(c.Load(varFeeToken), callTransferFrom, c.Caller, c.Load(varCollector), fee, starknet.Felt{}); err != nil {
			return nil, err
		}
	}
	a := argumentsOf(c)
	deposits := false
	for range a.count(2) {
		kind, ok := a.felt().Count(len(poolActions) - 1)
		if !ok || a.err != nil {
			return nil, vm.Panic("Failed to deserialize param")
		}
		deposits = deposits || kind == actionTransferFrom
		if err := poolActions[kind](p, c, a); err != nil {
			return nil, err
		}
	}
	if p.second {
		if err := screening(a, deposits); err != nil {
			return nil, err
		}
	}
	return nil, a.done()
}

// screening reads the trailing Option<ScreeningAttestation>.
func screening(a *arguments, deposits bool) error {
	present := a.felt().IsZero()
	if present {
		_, _, _ = a.felt(), a.felt(), a.felt() // its time and signature, which are not checked
	}
	if a.err == nil && present != deposits {
		return vm.Panic("SCREENING_REQUIRED")
	}
	return a.err
}

func (p privacyPool) depositToOpenNote(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	note, token, amount := a.felt(), a.felt(), a.u128()
	cell := element(varNotes, note)
	packed := c.Load(cell)
	switch {
	case a.done() != nil:
		return nil, a.done()
	case p.second && !c.Load(element(varBlocked, c.Caller)).IsZero():
		return nil, vm.Panic("DEPOSITOR_BLOCKED")
	case packed.IsZero() || c.Load(next(cell)) != token:
		return nil, vm.Panic("NOTE_NOT_FOUND")
	}
	low, high := amount.Halves()
	if _, err := c.Invoke(token, callTransferFrom, c.Caller, c.Address, low, high); err != nil {
		return nil, err
	}
	c.Store(cell, addFelts(packed, low))
	return nil, c.Emit([]starknet.Felt{eventOpenNoteDeposited, c.Caller, token, note}, []starknet.Felt{low})
}
