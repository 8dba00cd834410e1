package economy

import (
	"math/big"

	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// ordinary fills a block with ordinary activity.
func (t *turn) ordinary() {
	for range t.profile.Transactions/2 + t.b.Rand.IntN(t.profile.Transactions/2+1) {
		pick(t,
			(*turn).pay, (*turn).pay, (*turn).pay, (*turn).pay, (*turn).payMany,
			(*turn).swapPair, (*turn).swapPool, (*turn).collect, (*turn).trade, (*turn).items,
			(*turn).bridgeIn, (*turn).bridgeOut, (*turn).spread,
		)(t)
	}
}

func (t *turn) pay() {
	user, token := t.someone(), pick(t, t.network.Strk, t.network.Eth, t.network.UsdcBridged)
	t.invoke(user, transfer(token, t.someone().address, t.fraction(token, user.address, 200)))
}

// payMany makes several payments in one transaction.
func (t *turn) payMany() {
	user := t.someone()
	var calls []call
	for range 2 + t.b.Rand.IntN(5) {
		calls = append(calls, transfer(t.network.Strk, t.someone().address, t.fraction(t.network.Strk, user.address, 2000)))
	}
	t.invoke(user, calls...)
}

// spread sends users tokens that they do not have yet.
func (t *turn) spread() {
	from, token := t.issuer(), t.find(pick(t, "ASTRO", "ASTRO", "copycat", "HUGE"))
	if t.chance(3) {
		from, token = t.treasury(), pick(t, t.network.Usdc, t.network.Usdt, t.network.Wbtc)
	}
	t.invoke(from, transfer(token, t.someone().address, t.fraction(token, from.address, 10_000)))
}

// swapPair sells STRK for slightly less ETH than the pair would pay.
func (t *turn) swapPair() {
	n, user := &t.network, t.someone()
	pair, value := t.pair(n.Strk, n.Eth), t.fraction(n.Strk, user.address, 1000)
	out := quote(value, t.balance(n.Strk, pair), t.balance(n.Eth, pair))
	if out.IsZero() {
		return
	}
	out0, out1 := vm.U256{}, out
	if n.Eth.Cmp(n.Strk) < 0 {
		out0, out1 = out, vm.U256{}
	}
	t.invoke(user, transfer(n.Strk, pair, value), call{pair, "swap", append(append(u256(out0), u256(out1)...), user.address)})
}

// quote returns 99 percent of what a constant-product pool pays for an amount.
func quote(in, reserveIn, reserveOut vm.U256) vm.U256 {
	total := new(big.Int).Add(reserveIn.Big(), in.Big())
	if total.Sign() == 0 {
		return vm.U256{}
	}
	out := new(big.Int).Mul(in.Big(), reserveOut.Big())
	out.Mul(out, big.NewInt(99))
	out.Div(out, total.Mul(total, big.NewInt(100)))
	value, _ := vm.FromBig(out)
	return value
}

// swapPool sells STRK for bridged USDC at the other exchange.
func (t *turn) swapPool() {
	n, user := &t.network, t.someone()
	pool, value := t.clmmPool(n.Strk, n.UsdcBridged), t.fraction(n.Strk, user.address, 1000)
	out := t.balance(n.UsdcBridged, pool).Div64(100_000)
	zeroForOne := starknet.FeltFromUint64(1)
	if n.UsdcBridged.Cmp(n.Strk) < 0 {
		zeroForOne = starknet.Felt{}
	}
	data := append([]starknet.Felt{user.address, zeroForOne, u256(value)[0], u256(out)[0]}, t.price()...)
	t.invoke(user, approve(n.Strk, pool, value), call{pool, "swap", data})
}

// maxCollection limits the minted items, so that the state does not grow
// forever.
const maxCollection = 5000

// collect mints in both collections.
func (t *turn) collect() {
	if t.memory.nfts >= maxCollection {
		return
	}
	t.memory.nfts++
	id := u256(vm.U64(t.memory.nfts))
	t.invoke(t.issuer(),
		call{t.find("collection"), "mint", felts(t.someone().address, id)},
		call{t.find("old collection"), "mint", felts(t.someone().address, id)})
}

// trade transfers an item of one of the collections, or burns it.
func (t *turn) trade() {
	if t.memory.nfts == 0 {
		return
	}
	collection := pick(t, "collection", "old collection")
	id := vm.U64(1 + t.b.Rand.Uint64N(t.memory.nfts))
	owner, ok := t.ownerOf(t.find(collection), id)
	if !ok {
		return
	}
	if t.chance(20) {
		t.invoke(owner, call{t.find(collection), "burn", u256(id)})
		return
	}
	t.invoke(owner, call{t.find(collection), "transferFrom", felts(owner.address, []starknet.Felt{t.someone().address}, u256(id))})
}

// items mints and moves items of the ERC-1155, one kind or several at a time.
func (t *turn) items() {
	contract, issuer, to := t.find("items"), t.issuer(), t.someone().address
	id := u256(vm.U64(1 + t.b.Rand.Uint64N(40)))
	if t.chance(2) {
		t.invoke(issuer, call{contract, "mint", append(felts(issuer.address, id), u256(vm.U64(10))...)},
			call{contract, "safe_transfer_from", append(felts(issuer.address, []starknet.Felt{to}, id), u256(vm.U64(3))[0], starknet.Felt{}, starknet.Felt{})})
		return
	}
	n := 2 + t.b.Rand.Uint64N(4)
	var ids, values []starknet.Felt
	for i := range n {
		ids = append(ids, u256(vm.U64(100+i))...)
		values = append(values, u256(vm.U64(2+i))...)
	}
	count := []starknet.Felt{starknet.FeltFromUint64(n)}
	lists := felts(count[0], ids, count, values)
	t.invoke(issuer,
		call{contract, "batch_mint", felts(issuer.address, lists)},
		call{contract, "safe_batch_transfer_from", felts(issuer.address, []starknet.Felt{to}, lists, []starknet.Felt{{}})})
}

func (t *turn) bridgeIn() {
	token, decimals := "STRK", uint64(18)
	switch t.b.Rand.IntN(4) {
	case 0:
		token = "ETH"
	case 1:
		token, decimals = "USDC", 6
	case 2:
		token, decimals = "USDT", 6
	}
	t.deposit(token, t.someone().address, 1+t.b.Rand.Uint64N(20), decimals)
}

func (t *turn) bridgeOut() {
	user := t.someone()
	if t.chance(2) {
		value := t.fraction(t.network.Eth, user.address, 500)
		t.invoke(user, call{t.network.EthBridge, "initiate_withdraw", felts(t.l1Address(), u256(value))})
		return
	}
	value := t.fraction(t.network.Strk, user.address, 500)
	t.invoke(user, call{t.network.StrkBridge, "initiate_token_withdraw", felts(l1Strk, []starknet.Felt{t.l1Address()}, u256(value))})
}
