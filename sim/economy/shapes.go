package economy

import (
	"astrolabe/sim/contract"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// mintAndBurn mints, burns, makes a self-transfer and sets an allowance.
func (t *turn) mintAndBurn() {
	astro, issuer, user := t.find("ASTRO"), t.issuer(), t.someone()
	t.invoke(issuer, call{astro, "mint", felts(user.address, u256(amount(250, 18)))})
	t.invoke(issuer, call{astro, "burn", u256(amount(100, 18))})
	t.invoke(user, transfer(t.network.Strk, user.address, t.fraction(t.network.Strk, user.address, 100)))
	t.invoke(issuer, transfer(t.find("HUGE"), user.address, vm.U256{1, 0, 1 << 20}))
	t.invoke(issuer, transfer(t.find("copycat"), user.address, amount(3, 18)))
	t.invoke(issuer, transfer(t.network.VStrk, user.address, amount(1+t.b.Rand.Uint64N(20), 18)))
	t.invoke(issuer, approve(astro, t.treasury().address, amount(10, 18)))
	t.invoke(t.treasury(), call{astro, "transfer_from", felts(issuer.address, []starknet.Felt{user.address}, u256(amount(4, 18)))})
}

// emit calls the oddities contract, which emits raw keys and data.
func (t *turn) emit(keys, data []starknet.Felt) call {
	list := append([]starknet.Felt{starknet.FeltFromUint64(uint64(len(keys)))}, keys...)
	list = append(append(list, starknet.FeltFromUint64(uint64(len(data)))), data...)
	return call{t.find("oddities"), "emit_raw", list}
}

// noise returns random felts.
func (t *turn) noise(n int) []starknet.Felt {
	list := make([]starknet.Felt, n)
	for i := range list {
		list[i] = t.felt()
	}
	return list
}

// strangeEvents emits events that do not match the class's ABI, or only partly.
func (t *turn) strangeEvents() {
	user := t.someone()
	t.invoke(user, t.emit(t.noise(1), t.noise(3)), t.emit(t.noise(20), t.noise(2)), t.emit(nil, t.noise(1)), t.emit(nil, nil), t.emit(t.noise(50), t.noise(300)))
	one := starknet.FeltFromUint64(1)
	malformed := []starknet.Felt{selector("Malformed")}
	t.invoke(user,
		t.emit(append(malformed, one), []starknet.Felt{one}),                                                          // data ends early
		t.emit(append(malformed, starknet.FeltFromUint64(7)), t.noise(4)),                                             // not a bool
		t.emit(append(malformed, one), []starknet.Felt{one, {}, {}, {}, starknet.FeltFromUint64(1 << 40)}),            // an impossible list length
		t.emit(append(malformed, one), append([]starknet.Felt{one, {}, {}, {}, {}}, t.noise(2)...)),                   // trailing data
		t.emit([]starknet.Felt{selector("Transfer"), user.address}, t.noise(1)),                                       // no layout has these counts
		t.emit([]starknet.Felt{selector("Transfer"), user.address, t.felt()}, t.noise(2)),                             // halves over 128 bits
		t.emit([]starknet.Felt{selector("TransferBatch"), user.address, {}, user.address}, []starknet.Felt{one, one}), // of another contract
		t.emit([]starknet.Felt{selector("Outer"), selector("Inner"), selector("Shallow")}, []starknet.Felt{t.felt()})) // nested wrongly
}

// oddEvents emits well-formed events of awkward shapes: nested, flat, with twenty keys,
// with every type.
func (t *turn) oddEvents() {
	odd, user := t.find("oddities"), t.someone()
	x, y := starknet.FeltFromUint64(t.b.Rand.Uint64N(1000)), starknet.FeltFromUint64(t.b.Rand.Uint64N(1000))
	note := starknet.AppendByteArray(nil, []byte("a note of more than thirty-one characters, in two words"))
	t.invoke(user,
		call{odd, "credit", felts(user.address, u256(amount(7, 18)))},
		call{odd, "debit", felts(user.address, u256(amount(3, 18)))},
		call{odd, "notice", felts(t.felt(), note)},
		call{odd, "forget", nil}, call{odd, "nothing", nil},
		call{odd, "dive", []starknet.Felt{starknet.FeltFromUint64(3), t.felt()}},
		call{odd, "announce", []starknet.Felt{t.felt()}})
	t.invoke(user, call{odd, "sink", append(starknet.AppendByteArray(nil, []byte("Vasa")), x, y)},
		call{odd, "tag", felts(u256(amount(1, 20))[0], []starknet.Felt{{}}, note, []starknet.Felt{starknet.FeltFromUint64(2), x, y, x, y})},
		call{odd, "happen", t.everything()})
}

// everything returns one value of each type, as the class's Everything expects.
func (t *turn) everything() []starknet.Felt {
	n := starknet.FeltFromUint64
	text := func(s string) []starknet.Felt { return starknet.AppendByteArray(nil, []byte(s)) }
	point := []starknet.Felt{n(3), n(4)}
	list := []starknet.Felt{n(8), n(16), n(32), n(64)}                        // tiny to large
	list = append(list, u256(amount(1, 30))[0])                               // huge
	list = append(list, u256(vm.U256{5, 0, 9})...)                            // enormous
	list = append(list, n(1), n(2), n(3), n(4), n(5))                         // signed
	list = append(list, n(1), t.felt(), starknet.MustShortString("short"))    // flag, felt, short
	list = append(list, text("every type at once")...)                        // text
	list = append(list, t.network.Strk, t.felt(), t.l1Address())              // contract, class, l1
	list = append(list, n(9), t.felt())                                       // pair; the unit takes no felt
	list = append(list, n(0), n(77))                                          // maybe: Some
	list = append(list, n(1))                                                 // maybe_point: None
	list = append(list, n(2), n(1), n(0), n(2), n(0))                         // list
	list = append(list, n(3), t.felt(), t.felt(), t.felt())                   // view
	list = append(list, n(2), n(1), n(255), n(2), n(1), n(2))                 // lists
	list = append(append(append(list, n(2)), point...), point...)             // points
	list = append(append(append(list, n(2)), text("one")...), text("two")...) // texts
	list = append(list, t.felt(), n(32))                                      // tagged
	list = append(append(list, t.felt()), point...)                           // tagged_point
	list = append(append(append(list, n(2)), point...), point...)             // shape: Segment
	return append(list, n(1), t.felt())                                       // outcome: Err
}

// longCalldata sends nearly as many felts as a transaction may have.
func (t *turn) longCalldata() {
	const points = 2390
	data := []starknet.Felt{starknet.FeltFromUint64(1), starknet.FeltFromUint64(3), starknet.FeltFromUint64(points)}
	for i := range uint64(2 * points) {
		data = append(data, starknet.FeltFromUint64(i))
	}
	data = append(data, t.felt(), starknet.FeltFromUint64(1), starknet.FeltFromUint64(2))
	t.invoke(t.issuer(), call{t.find("oddities"), "echo", data})
}

// thousandEvents emits the maximum number of events of a transaction.
func (t *turn) thousandEvents() {
	odd := t.find("oddities")
	var calls []call
	for i := range uint64(400) {
		calls = append(calls, call{odd, "dive", []starknet.Felt{starknet.FeltFromUint64(i % 256), starknet.FeltFromUint64(i)}})
	}
	for range 200 {
		calls = append(calls, call{odd, "nothing", nil})
	}
	t.invoke(t.issuer(), calls...)
}

// bump calls the counter as its current class requires.
func (t *turn) bump(counter starknet.Felt) call {
	if t.classOf(counter) == t.classes.Named(contract.UpgradableV2).Hash {
		return t.bumpSecond(counter)
	}
	return call{counter, "bump", nil}
}

func (t *turn) bumpSecond(counter starknet.Felt) call {
	return call{counter, "bump", []starknet.Felt{starknet.FeltFromUint64(1 + t.b.Rand.Uint64N(9)), starknet.MustShortString("because")}}
}

// otherCounterClass returns the class that the counter does not have.
func (t *turn) otherCounterClass(counter starknet.Felt) starknet.Felt {
	first, second := t.classes.Named(contract.UpgradableV1).Hash, t.classes.Named(contract.UpgradableV2).Hash
	if t.classOf(counter) == first {
		return second
	}
	return first
}

func upgradeTo(counter, class starknet.Felt) call {
	return call{counter, "upgrade", []starknet.Felt{class}}
}

// upgradeInsideBlock uses both classes of the counter within one block and keeps the other.
func (t *turn) upgradeInsideBlock() {
	counter := t.find("counter")
	t.invoke(t.someone(), t.bump(counter))
	t.invoke(t.governor(), upgradeTo(counter, t.otherCounterClass(counter)))
	t.invoke(t.someone(), t.bump(counter))
}

// upgradeForthAndBack leaves no change in the state diff.
func (t *turn) upgradeForthAndBack() {
	counter := t.find("counter")
	current, other := t.classOf(counter), t.otherCounterClass(counter)
	t.invoke(t.governor(), upgradeTo(counter, other))
	t.invoke(t.someone(), t.bump(counter))
	t.invoke(t.governor(), upgradeTo(counter, current))
	t.invoke(t.someone(), t.bump(counter))
}

// deployAndUpgrade replaces the class of a contract in the same block, and then
// in the same transaction, in which it is used.
func (t *turn) deployAndUpgrade() {
	counter := t.deploy(t.governor(), true, "second counter", contract.UpgradableV1, t.governor().address)
	t.invoke(t.governor(), call{counter, "bump", nil}, upgradeTo(counter, t.classes.Named(contract.UpgradableV2).Hash), t.bumpSecond(counter))
}

// repeatMessages repeatedly withdraws the same amount to the same recipient, so
// that equal messages occur within a transaction, within a block and across
// blocks.
func (t *turn) repeatMessages() {
	const recipient = "0xdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef"
	strk := call{t.network.StrkBridge, "initiate_token_withdraw", felts(l1Strk, []starknet.Felt{starknet.MustFelt(recipient)}, u256(amount(5, 18)))}
	eth := call{t.network.EthBridge, "initiate_withdraw", felts(starknet.MustFelt(recipient), u256(amount(1, 15)))}
	t.invoke(t.treasury(), strk, strk)
	t.invoke(t.treasury(), strk)
	t.invoke(t.treasury(), eth, eth)
}

// rareFields sends a transaction that has every field of its version, and two
// different messages to L1.
func (t *turn) rareFields() {
	from := t.governor() // version 3
	strk := call{t.network.StrkBridge, "initiate_token_withdraw", felts(l1Strk, []starknet.Felt{t.l1Address()}, u256(amount(1, 15)))}
	eth := call{t.network.EthBridge, "initiate_withdraw", felts(t.l1Address(), u256(amount(1, 12)))}
	tx := t.signed(t.invocation(from, strk, eth), from.version)
	tx.Tip = 7
	tx.PaymasterData, tx.AccountDeploymentData = t.noise(2), t.noise(3)
	t.add(tx)
}

// failures sends transactions and messages from L1 that revert.
func (t *turn) failures() {
	user := t.someone()
	t.invoke(user, transfer(t.network.Strk, t.treasury().address, amount(1_000_000_000, 18)))
	t.invoke(user, transfer(t.network.Strk, t.treasury().address, amount(1, 15)), call{t.network.Usdc, "mint", felts(user.address, u256(amount(1, 6)))})
	t.invoke(user, call{t.network.Usdc, "no_such_function", []starknet.Felt{t.felt()}})
	t.invoke(user, call{t.felt(), "transfer", nil})
	t.message(t.l1Address(), t.network.EthBridge, "handle_deposit", felts(user.address, u256(amount(1, 18)))...)
	t.message(l1StrkBridge, t.network.StrkBridge, "handle_token_deposit", append([]starknet.Felt{l1Usdc, t.l1Address(), user.address}, u256(amount(1, 18))...)...)
}

// approvals adds the other events of accounts and collections.
func (t *turn) approvals() {
	issuer, user := t.issuer(), t.someone()
	operator := []starknet.Felt{t.treasury().address, starknet.FeltFromUint64(1)}
	t.invoke(user, call{user.address, "set_public_key", []starknet.Felt{t.felt()}})
	t.invoke(issuer,
		call{t.find("collection"), "set_approval_for_all", operator},
		call{t.find("old collection"), "setApprovalForAll", operator},
		call{t.find("items"), "set_uri", append(u256(vm.U64(7)), starknet.AppendByteArray(nil, []byte("https://items.example/7.json"))...)})
	t.message(l1StrkBridge, t.network.StrkBridge, "handle_deposit_with_message",
		append(append([]starknet.Felt{l1Strk, t.l1Address(), user.address}, u256(amount(2, 18))...), starknet.FeltFromUint64(2), t.felt(), t.felt())...)
}

// liquidity takes liquidity out of both exchanges.
func (t *turn) liquidity() {
	n, treasury := &t.network, t.treasury()
	pair := t.pair(n.Strk, n.Eth)
	shares := contract.Shares(t.b.State, pair, treasury.address).Div64(100)
	t.invoke(treasury, transfer(pair, pair, shares), call{pair, "burn", []starknet.Felt{treasury.address}})
	token0, token1 := contract.Ordered(n.Strk, n.UsdcBridged)
	t.updatePosition(treasury, token0, token1, vm.U64(1000), vm.U64(1000), true)
}

// oldInvokes sends version 0 transactions, which call a contract directly and
// have neither sender nor nonce. The random felt makes their hashes different.
func (t *turn) oldInvokes() {
	odd := t.find("oddities")
	t.add(starknet.Transaction{
		Type: starknet.Invoke, ContractAddress: odd, EntryPointSelector: selector("announce"),
		Calldata: []starknet.Felt{t.felt()}, Signature: []starknet.Felt{},
	})
	t.add(starknet.Transaction{
		Type: starknet.Invoke, ContractAddress: odd, EntryPointSelector: selector("dive"),
		Calldata: []starknet.Felt{starknet.FeltFromUint64(1), t.felt()}, Signature: []starknet.Felt{t.felt(), t.felt()},
	})
}
