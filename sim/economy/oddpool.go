package economy

import (
	"astrolabe/sim/contract"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// oddPoolEpisodes is the timetable of a chain with an odd pool, besides the
// other one.
var oddPoolEpisodes = []episode{
	{26, 9, (*turn).malformPoolEvents},
	{28, 12, (*turn).repeatViewingKey},
	{29, 10, (*turn).changePoolFee},
	{31, 11, (*turn).applyTwice},
	{33, 9, (*turn).payCollectorMore},
	{37, 16, (*turn).malformPoolFee},
	{49, 13, (*turn).replacePoolInsideBlock},
}

// emitFromPool lets the pool emit an event of any shape.
func (t *turn) emitFromPool(keys, data []starknet.Felt) action {
	raw := t.emit(keys, data).data
	return action{actWriteOnce, append([]starknet.Felt{contract.RawEvent, starknet.FeltFromUint64(uint64(len(raw)))}, raw...)}
}

// malformPoolEvents emits events that do not fit their declaration, and one that
// the pool does not declare.
func (t *turn) malformPoolEvents() {
	user, token := t.someone().address, t.network.Strk
	one := starknet.FeltFromUint64(1)
	keys := func(event string, rest ...starknet.Felt) []starknet.Felt {
		return append([]starknet.Felt{selector(event)}, rest...)
	}
	t.apply(t.forwarder(), vm.U256{}, nil,
		t.emitFromPool(keys("Deposit", user, token), nil),                                           // no amount
		t.emitFromPool(keys("Deposit", user, t.network.UsdcBridged), t.noise(2)),                    // two amounts
		t.emitFromPool(keys("Deposit", user), []starknet.Felt{one}),                                 // no token
		t.emitFromPool(keys("Withdrawal", user, token), append(t.encrypted(), starknet.Felt{8: 1})), // over 128 bits
		t.emitFromPool(keys("Withdrawal"), append(t.encrypted(), one)),                              // neither recipient nor token
		t.emitFromPool(keys("OpenNoteDeposited", user, token, t.felt()), nil))
	t.apply(t.forwarder(), vm.U256{}, nil,
		t.emitFromPool(keys("ViewingKeySet", user, t.felt()), t.noise(2)),
		t.emitFromPool(keys("OpenNoteCreated", token, t.felt()), nil),
		t.emitFromPool(keys("EncNoteCreated"), t.noise(1)),
		t.emitFromPool(keys("NoteUsed", t.felt()), t.noise(1)), // trailing data
		t.emitFromPool(keys("NoteUsed"), nil),
		t.emitFromPool(t.noise(2), t.noise(3)), // an unknown selector
		t.emitFromPool(nil, t.noise(1)))
}

// repeatViewingKey registers the same user twice in a block, and again whenever
// it is called.
func (t *turn) repeatViewingKey() {
	for range 2 {
		t.apply(t.forwarder(), vm.U256{}, nil,
			action{actViewingKeySet, append([]starknet.Felt{t.treasury().address, t.felt()}, t.encrypted()...)})
	}
}

// changePoolFee changes the fee, now and then to nothing, and its collector,
// between two withdrawals.
func (t *turn) changePoolFee() {
	t.poolWithdrawal()
	fee := pick(t, vm.U256{}, amount(3, 18), amount(4, 18), poolFee)
	collector := pick(t, t.memory.actors[collectorActor], t.issuer())
	t.invoke(t.governor(),
		call{t.network.Pool, "set_fee_amount", []starknet.Felt{u256(fee)[0]}},
		call{t.network.Pool, "set_fee_collector", []starknet.Felt{collector.address}})
	t.poolWithdrawal()
}

// malformPoolFee emits a setting of the fee that cannot be read, so that nothing
// proves a fee until the next one.
func (t *turn) malformPoolFee() {
	event := "FeeAmountSet"
	if t.number()%32 >= 16 {
		event = "FeeCollectorSet"
	}
	t.apply(t.forwarder(), vm.U256{}, nil, t.emitFromPool([]starknet.Felt{selector(event)}, t.noise(2)))
	t.poolWithdrawal()
}

// applyTwice calls the pool twice in one transaction, which pays two fees.
func (t *turn) applyTwice() {
	use := func() action { return action{actNoteUsed, []starknet.Felt{t.felt()}} }
	t.apply(t.forwarder(), poolFee, []call{approve(t.network.Strk, t.network.Pool, amount(12, 18)), t.application(use(), use())}, use())
}

// payCollectorMore pays the collectors what is no fee, before and after an
// application.
func (t *turn) payCollectorMore() {
	pay := func(to actor) call {
		return transfer(t.network.Strk, to.address, amount(1+t.b.Rand.Uint64N(2), 18))
	}
	t.apply(t.treasury(), vm.U256{}, []call{pay(t.memory.actors[collectorActor]), pay(t.issuer())},
		action{actNoteUsed, []starknet.Felt{t.felt()}})
	t.invoke(t.treasury(), transfer(t.network.Strk, t.memory.actors[collectorActor].address, poolFee))
}

// replacePoolInsideBlock uses the pool before and after its class is replaced by
// the other one.
func (t *turn) replacePoolInsideBlock() {
	name := contract.PrivacyPoolV2
	if t.secondPool() {
		name = contract.PrivacyPoolV1
	}
	implementation := []starknet.Felt{t.classes.Named(name).Hash, starknet.FeltFromUint64(1), {}}
	t.poolWithdrawal()
	t.poolInvocation()
	t.invoke(t.governor(), call{t.network.Pool, "add_new_implementation", implementation}, call{t.network.Pool, "replace_to", implementation})
	t.poolWithdrawal()
	t.poolInvocation()
}
