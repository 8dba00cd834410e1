package economy

import (
	"astrolabe/sim/contract"
	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

func (t *turn) classOf(address starknet.Felt) starknet.Felt {
	return t.b.State.Read(state.ClassCell(address))
}

// secondPool reports whether the pool has its second class.
func (t *turn) secondPool() bool {
	return t.classOf(t.network.Pool) == t.classes.Named(contract.PrivacyPoolV2).Hash
}

// poolFee is the fee that the pool charges its caller.
var poolFee = amount(6, 18)

func (t *turn) configurePool() {
	set := func(function string, value starknet.Felt) call {
		return call{t.network.Pool, function, []starknet.Felt{value}}
	}
	t.invoke(t.governor(),
		set("set_auditor_public_key", t.felt()),
		set("set_fee_collector", t.memory.actors[collectorActor].address),
		set("set_fee_amount", u256(poolFee)[0]),
		set("set_proof_validity_blocks", starknet.FeltFromUint64(450)))
	// The pool is seeded by a plain transfer, without an event of the pool.
	t.invoke(t.treasury(), transfer(t.network.StrkBtc, t.network.Pool, amount(5, 8)))
}

// The variants of the ServerAction enum that the script uses.
const (
	actWriteOnce       = 0
	actAppend          = 1
	actTransferFrom    = 2
	actTransferTo      = 3
	actViewingKeySet   = 4
	actWithdrawal      = 5
	actDeposit         = 6
	actOpenNoteCreated = 7
	actNoteCreated     = 8
	actNoteUsed        = 9
	actInvoke          = 10
)

// action is a ServerAction: its index in the enum and its fields.
type action struct {
	index  uint64
	fields []starknet.Felt
}

// apply calls the pool through an account, which pays the pool's fee in STRK
// and approves more if it deposits STRK. Other calls may come first.
func (t *turn) apply(from actor, deposits vm.U256, before []call, actions ...action) {
	var facts []starknet.Felt
	if t.secondPool() && from.version == 3 {
		facts = t.proofFacts()
	}
	allowance, _ := poolFee.Add(deposits)
	calls := append(before, approve(t.network.Strk, t.network.Pool, allowance), t.application(actions...))
	t.invokeProven(from, facts, calls...)
}

// application is a call of the pool.
func (t *turn) application(actions ...action) call {
	data := []starknet.Felt{starknet.FeltFromUint64(uint64(len(actions)))}
	screened := false
	for _, a := range actions {
		data = append(append(data, starknet.FeltFromUint64(a.index)), a.fields...)
		screened = screened || a.index == actTransferFrom
	}
	if t.secondPool() {
		data = append(data, t.attestation(screened)...)
	}
	return call{t.network.Pool, "apply_actions", data}
}

// attestation is the trailing Option of the second class.
func (t *turn) attestation(present bool) []starknet.Felt {
	if !present {
		return []starknet.Felt{starknet.FeltFromUint64(1)}
	}
	return []starknet.Felt{{}, starknet.FeltFromUint64(t.b.Header.Timestamp - 20), t.felt(), t.felt()}
}

// proofFacts returns the proof facts of a proven transaction.
func (t *turn) proofFacts() []starknet.Felt {
	text := starknet.MustShortString
	return []starknet.Felt{
		text("PROOF0"), text("VIRTUAL_SNOS"), t.felt(), text("VIRTUAL_SNOS0"),
		starknet.FeltFromUint64(t.number() - 2), t.felt(), t.felt(), starknet.FeltFromUint64(1), t.felt(),
	}
}

func (t *turn) encrypted() []starknet.Felt { return t.noise(3) }

// packed returns a random packed value of an encrypted note: a salt above 1 and
// 128 bits.
func (t *turn) packed() starknet.Felt {
	f := t.felt()
	f[0], f[1] = 0, 0x70
	return f
}

func (t *turn) registerViewingKey() {
	user := t.someone()
	t.apply(t.forwarder(), vm.U256{}, nil,
		action{actWriteOnce, []starknet.Felt{t.felt(), starknet.FeltFromUint64(1), t.felt()}},
		action{actViewingKeySet, append([]starknet.Felt{user.address, t.felt()}, t.encrypted()...)})
}

// poolDeposit moves a user's tokens into the pool. The user calls it, since the tokens
// must be approved.
func (t *turn) poolDeposit() {
	user := t.someone()
	token := pick(t, t.network.Strk, t.network.Strk, t.network.UsdcBridged)
	value := t.fraction(token, user.address, 50)
	low := u256(value)[0]
	strk, before := value, []call(nil)
	if token != t.network.Strk {
		strk, before = vm.U256{}, []call{approve(token, t.network.Pool, value)}
	}
	t.apply(user, strk, before,
		action{actTransferFrom, []starknet.Felt{user.address, token, low}},
		action{actDeposit, []starknet.Felt{user.address, token, low}},
		action{actAppend, []starknet.Felt{t.felt(), starknet.FeltFromUint64(2), t.felt(), t.felt()}},
		action{actNoteCreated, []starknet.Felt{t.felt(), t.packed()}})
}

// poolWithdrawal uses two notes, pays one user and keeps the change in a new note.
func (t *turn) poolWithdrawal() {
	t.withdraw(t.network.Strk, t.fraction(t.network.Strk, t.network.Pool, 10), t.someone().address)
}

// withdrawSeed withdraws the seed, which was deposited without an event.
func (t *turn) withdrawSeed() {
	t.withdraw(t.network.StrkBtc, t.balance(t.network.StrkBtc, t.network.Pool).Div64(4), t.someone().address)
}

func (t *turn) withdraw(token starknet.Felt, value vm.U256, to starknet.Felt, more ...action) {
	low := u256(value)[0]
	actions := []action{
		{actNoteUsed, []starknet.Felt{t.felt()}},
		{actNoteUsed, []starknet.Felt{t.felt()}},
		{actTransferTo, []starknet.Felt{to, token, low}},
		{actWithdrawal, append(t.encrypted(), to, token, low)},
		{actNoteCreated, []starknet.Felt{t.felt(), t.packed()}},
	}
	t.apply(t.forwarder(), vm.U256{}, nil, append(actions, more...)...)
}

// openNote creates an open note for bridged USDC, pays STRK out of the pool for it, and
// lets the treasury fund it in the same block.
func (t *turn) openNote() {
	note, treasury, token := t.felt(), t.treasury(), t.network.UsdcBridged
	value := amount(10+t.b.Rand.Uint64N(90), 6)
	t.withdraw(t.network.Strk, amount(1, 15), treasury.address,
		action{actOpenNoteCreated, append(t.encrypted(), token, note)})
	t.invoke(treasury, approve(token, t.network.Pool, value),
		call{t.network.Pool, "deposit_to_open_note", []starknet.Felt{note, token, u256(value)[0]}})
}

// poolInvocation uses a note and lets the pool call another contract with one felt.
func (t *turn) poolInvocation() {
	t.apply(t.forwarder(), vm.U256{}, nil,
		action{actNoteUsed, []starknet.Felt{t.felt()}},
		action{actInvoke, []starknet.Felt{t.find("oddities"), starknet.FeltFromUint64(1), t.felt()}})
}

func (t *turn) declareSecondPool() { t.declare(t.governor(), contract.PrivacyPoolV2) }

// upgradePool upgrades the pool to its second class and sets what only that
// class has.
func (t *turn) upgradePool() {
	implementation := []starknet.Felt{t.classes.Named(contract.PrivacyPoolV2).Hash, starknet.FeltFromUint64(1), {}}
	t.invoke(t.governor(), call{t.network.Pool, "add_new_implementation", implementation})
	t.invoke(t.governor(),
		call{t.network.Pool, "replace_to", implementation},
		call{t.network.Pool, "set_screener_public_key", []starknet.Felt{t.felt()}})
}

// blockDepositor blocks an account, and pauses the pool.
func (t *turn) blockDepositor() {
	t.invoke(t.governor(),
		call{t.network.Pool, "set_open_note_depositor_block", []starknet.Felt{t.felt(), starknet.FeltFromUint64(1)}},
		call{t.network.Pool, "pause", nil})
	t.registerViewingKey() // reverts
	t.invoke(t.governor(), call{t.network.Pool, "unpause", nil})
}
