package economy

import (
	"astrolabe/sim/contract"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// deposit sends a deposit through a token's bridge.
func (t *turn) deposit(token string, to starknet.Felt, units, decimals uint64) {
	n, value := &t.network, u256(amount(units, decimals))
	if token == "ETH" {
		t.message(l1EthBridge, n.EthBridge, "handle_deposit", felts(to, value)...)
		return
	}
	l1, l2, l1Token := l1StrkBridge, n.StrkBridge, l1Strk
	switch token {
	case "USDC":
		l1, l2, l1Token = l1UsdcBridge, n.UsdcBridge, l1Usdc
	case "USDT":
		l1, l2, l1Token = l1UsdtBridge, n.UsdtBridge, l1Usdt
	case "WBTC":
		l1, l2, l1Token = l1BtcBridge, n.BtcBridge, l1Wbtc
	}
	t.message(l1, l2, "handle_token_deposit", append([]starknet.Felt{l1Token, t.l1Address(), to}, value...)...)
}

// l1Address returns a random Ethereum address.
func (t *turn) l1Address() starknet.Felt {
	f := t.felt()
	clear(f[:12])
	return f
}

// openBridges funds the first actors.
func (t *turn) openBridges() {
	for i, a := range t.memory.actors[:firstUser] {
		units := uint64(100_000)
		if i == treasuryActor {
			units = 10_000_000
		}
		t.deposit("ETH", a.address, units/1000, 18)
		t.deposit("STRK", a.address, units, 18)
	}
	t.deposit("USDC", t.treasury().address, 50_000_000, 6)
	t.deposit("USDT", t.treasury().address, 5_000_000, 6)
	t.deposit("WBTC", t.treasury().address, 1_000, 8)
}

// declareClasses declares the other classes, with versions 2 and 3.
func (t *turn) declareClasses() {
	for i, name := range []string{
		contract.ERC721Legacy, contract.ERC721Keyed, contract.ERC1155, contract.Oddities, contract.UpgradableV1, contract.UpgradableV2,
	} {
		from := t.treasury() // version 2
		if i%2 == 1 {
			from = t.issuer()
		}
		t.declare(from, name)
	}
}

func (t *turn) deployTokens() {
	issuer := t.issuer()
	token := func(name, symbol string, supply vm.U256) []starknet.Felt {
		return tokenArguments(name, symbol, 18, supply, issuer.address, issuer.address)
	}
	t.deploy(issuer, true, "ASTRO", contract.ERC20Keyed, token("Astrolabe", "ASTRO", amount(1_000_000_000, 18))...)
	t.deploy(issuer, false, "copycat", contract.ERC20Keyed, token("Astrolabe Classic of the Northern Hemisphere", "ASTRO", amount(21_000_000, 18))...)
	t.deploy(issuer, false, "HUGE", contract.ERC20Keyed, token("Huge", "HUGE", vm.U256{7, 0, 1 << 40})...)
	t.invoke(issuer,
		call{t.network.Usdc, "mint", felts(t.treasury().address, u256(amount(20_000_000, 6)))},
		call{t.network.StrkBtc, "mint", felts(t.treasury().address, u256(amount(2_000, 8)))},
		call{t.network.StrkBtc, "mint", felts(t.forwarder().address, u256(amount(50, 8)))},
	)
	t.message(l1MultiBridge, t.network.MultiBridge, "handle_token_deployment",
		t.l1Address(), starknet.MustShortString("Bridged by Deployment"), starknet.MustShortString("BBD"), starknet.FeltFromUint64(9))
}

func (t *turn) deployOthers() {
	issuer := t.issuer()
	t.deploy(issuer, true, "old collection", contract.ERC721Legacy,
		starknet.MustShortString("Old Stars"), starknet.MustShortString("OLDSTAR"), issuer.address)
	texts := starknet.AppendByteArray(starknet.AppendByteArray(nil, []byte("New Stars")), []byte("STAR"))
	texts = starknet.AppendByteArray(texts, []byte("https://stars.example/"))
	t.deploy(issuer, false, "collection", contract.ERC721Keyed, append(texts, issuer.address)...)
	t.deploy(issuer, false, "items", contract.ERC1155, issuer.address)
	t.deploy(t.treasury(), true, "oddities", contract.Oddities)
	t.deploy(t.governor(), false, "counter", contract.UpgradableV1, t.governor().address)
}

// feeTier is the only fee of the concentrated-liquidity exchange.
var feeTier = starknet.FeltFromUint64(3000)

func (t *turn) openExchanges() {
	n := &t.network
	t.invoke(t.treasury(),
		call{n.AMMFactory, "create_pair", []starknet.Felt{n.Strk, n.Eth}},
		call{n.AMMFactory, "create_pair", []starknet.Felt{n.UsdcBridged, n.Eth}})
	t.invoke(t.governor(), call{n.CLMMFactory, "enable_fee_amount", []starknet.Felt{feeTier, starknet.FeltFromUint64(60)}})
	for _, tokens := range [][2]starknet.Felt{{n.Strk, n.UsdcBridged}, {n.Usdc, n.Eth}} {
		token0, token1 := contract.Ordered(tokens[0], tokens[1])
		t.invoke(t.treasury(), call{n.CLMMFactory, "create_pool", []starknet.Felt{token0, token1, feeTier}})
		t.invoke(t.treasury(), call{t.clmmPool(token0, token1), "initialize", t.price()})
	}
}

// price returns a random PoolPrice: a square root and a tick.
func (t *turn) price() []starknet.Felt {
	return append(u256(vm.U256{t.b.Rand.Uint64(), 0, 1}), starknet.FeltFromUint64(t.b.Rand.Uint64N(80_000)))
}

func (t *turn) clmmPool(a, b starknet.Felt) starknet.Felt {
	token0, token1 := contract.Ordered(a, b)
	return contract.PoolOf(t.b.State, t.network.CLMMFactory, token0, token1, feeTier)
}

func (t *turn) pair(a, b starknet.Felt) starknet.Felt {
	return contract.PairOf(t.b.State, t.network.AMMFactory, a, b)
}

func (t *turn) addLiquidity() {
	n, treasury := &t.network, t.treasury()
	for _, tokens := range [][2]starknet.Felt{{n.Strk, n.Eth}, {n.UsdcBridged, n.Eth}} {
		pair := t.pair(tokens[0], tokens[1])
		t.invoke(treasury,
			transfer(tokens[0], pair, t.balance(tokens[0], treasury.address).Div64(50)),
			transfer(tokens[1], pair, t.balance(tokens[1], treasury.address).Div64(50)),
			call{pair, "mint", []starknet.Felt{treasury.address}})
	}
	for _, tokens := range [][2]starknet.Felt{{n.Strk, n.UsdcBridged}, {n.Usdc, n.Eth}} {
		token0, token1 := contract.Ordered(tokens[0], tokens[1])
		t.updatePosition(treasury, token0, token1, t.balance(token0, treasury.address).Div64(50), t.balance(token1, treasury.address).Div64(50), false)
	}
}

// updatePosition adds to the treasury's position, or removes from it.
func (t *turn) updatePosition(from actor, token0, token1 starknet.Felt, amount0, amount1 vm.U256, remove bool) {
	pool := t.clmmPool(token0, token1)
	sign := starknet.Felt{}
	if remove {
		sign = starknet.FeltFromUint64(1)
	}
	data := []starknet.Felt{
		starknet.FeltFromUint64(1), starknet.FeltFromUint64(100), starknet.FeltFromUint64(60_000),
		u256(amount0)[0], sign, u256(amount0)[0], u256(amount1)[0],
	}
	t.invoke(from, approve(token0, pool, amount0), approve(token1, pool, amount1), call{pool, "update_position", data})
}
