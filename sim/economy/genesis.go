package economy

import (
	"fmt"
	"slices"

	"astrolabe/sim/chain"
	"astrolabe/sim/contract"
	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// placement is a contract that block 0 creates at a well-known address.
type placement struct {
	name, class string
	address     starknet.Felt
	calldata    []starknet.Felt
}

// Genesis implements chain.Script: it declares the first classes and places the
// well-known contracts. All balances are zero.
func (e *Economy) Genesis(b *chain.Builder) error {
	e.cast()
	for _, name := range []string{
		contract.Account, contract.ERC20Legacy, contract.ERC20Keyed, contract.UDCLegacy, contract.UDC,
		contract.TokenBridgeLegacy, contract.TokenBridge, contract.PrivacyPoolV1,
		contract.AMMFactory, contract.AMMPair, contract.CLMMFactory, contract.CLMMPool,
	} {
		class := e.classes.Named(name)
		b.State.Write(state.DeclaredCell(class.Hash), class.CompiledHash)
	}
	for _, p := range e.placements() {
		class := e.classes.Named(p.class)
		if err := b.Machine().Place(b.State, &b.Header, p.address, class.Hash, p.calldata); err != nil {
			return fmt.Errorf("placing %s: %w", p.name, err)
		}
		e.name(p.name, p.class, p.address)
	}
	for _, pair := range e.bridged() {
		toL2, toL1 := contract.BridgeCells(pair.bridge, pair.l1, pair.l2)
		b.State.Write(toL2, pair.l2)
		b.State.Write(toL1, pair.l1)
	}
	return nil
}

// bridgedToken is a token that a bridge supports from block 0 on.
type bridgedToken struct{ bridge, l1, l2 starknet.Felt }

func (e *Economy) bridged() []bridgedToken {
	n := &e.network
	return []bridgedToken{
		{n.StrkBridge, l1Strk, n.Strk}, {n.UsdcBridge, l1Usdc, n.UsdcBridged},
		{n.UsdtBridge, l1Usdt, n.Usdt}, {n.BtcBridge, l1Wbtc, n.Wbtc},
	}
}

func (e *Economy) placements() []placement {
	return slices.Concat(e.tokenPlacements(), e.bridgePlacements(), e.otherPlacements(), e.predeployedPlacements())
}

func (e *Economy) tokenPlacements() []placement {
	n := &e.network
	old := func(name, symbol string, decimals uint64, address, minter starknet.Felt) placement {
		return placement{symbol, contract.ERC20Legacy, address, []starknet.Felt{
			starknet.MustShortString(name), starknet.MustShortString(symbol), starknet.FeltFromUint64(decimals), {}, {}, minter, minter,
		}}
	}
	keyed := func(name, symbol string, decimals uint64, address starknet.Felt, supply vm.U256) placement {
		return placement{symbol, contract.ERC20Keyed, address, tokenArguments(name, symbol, decimals, supply, e.issuer().address, e.issuer().address)}
	}
	usdcBridged := old("USD Coin", "USDC", 6, n.UsdcBridged, n.UsdcBridge)
	usdcBridged.name = "USDC.e"
	return []placement{
		old("Starknet Token", "STRK", 18, n.Strk, n.StrkBridge),
		old("Ether", "ETH", 18, n.Eth, n.EthBridge),
		usdcBridged,
		old("Tether USD", "USDT", 6, n.Usdt, n.UsdtBridge),
		old("Wrapped BTC", "WBTC", 8, n.Wbtc, n.BtcBridge),
		keyed("USD Coin", "USDC", 6, n.Usdc, vm.U256{}),
		keyed("Starknet Bitcoin", "strkBTC", 8, n.StrkBtc, vm.U256{}),
		// Its initial supply has no event, so its events do not add up to its
		// supply.
		keyed("Starknet Voting Token", "vSTRK", 18, n.VStrk, amount(1_000_000, 18)),
	}
}

func (e *Economy) bridgePlacements() []placement {
	n := &e.network
	bridge := func(name string, address, l1 starknet.Felt) placement {
		return placement{name, contract.TokenBridge, address, []starknet.Felt{l1, e.classes.Named(contract.ERC20Legacy).Hash}}
	}
	return []placement{
		{"ETH bridge", contract.TokenBridgeLegacy, n.EthBridge, []starknet.Felt{l1EthBridge, n.Eth}},
		bridge("STRK bridge", n.StrkBridge, l1StrkBridge),
		bridge("USDC bridge", n.UsdcBridge, l1UsdcBridge),
		bridge("USDT bridge", n.UsdtBridge, l1UsdtBridge),
		bridge("WBTC bridge", n.BtcBridge, l1BtcBridge),
		bridge("multi-token bridge", n.MultiBridge, l1MultiBridge),
	}
}

func (e *Economy) otherPlacements() []placement {
	n, admin := &e.network, e.governor().address
	return []placement{
		{"UDC legacy", contract.UDCLegacy, n.UDCLegacy, nil},
		{"UDC", contract.UDC, n.UDC, nil},
		{"privacy pool", contract.PrivacyPoolV1, n.Pool, []starknet.Felt{admin, n.Strk, starknet.FeltFromUint64(1), starknet.FeltFromUint64(450)}},
		{"forwarder", contract.Account, n.Forwarder, []starknet.Felt{starknet.FeltFromUint64(1)}},
		{"AMM factory", contract.AMMFactory, n.AMMFactory, []starknet.Felt{e.classes.Named(contract.AMMPair).Hash, admin}},
		{"CLMM factory", contract.CLMMFactory, n.CLMMFactory, []starknet.Felt{admin, e.classes.Named(contract.CLMMPool).Hash}},
	}
}

// tokenArguments are the constructor arguments of the keyed token class.
func tokenArguments(name, symbol string, decimals uint64, supply vm.U256, recipient, owner starknet.Felt) []starknet.Felt {
	felts := starknet.AppendByteArray(nil, []byte(name))
	felts = starknet.AppendByteArray(felts, []byte(symbol))
	felts = append(append(felts, starknet.FeltFromUint64(decimals)), u256(supply)...)
	return append(felts, recipient, owner)
}
