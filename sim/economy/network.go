package economy

import (
	"fmt"

	"astrolabe/starknet"
)

// Network is a chain's name, id and well-known addresses.
type Network struct {
	Name string
	ID   starknet.Felt

	Strk, Eth, UsdcBridged, Usdc, Usdt, Wbtc, StrkBtc, VStrk              starknet.Felt
	StrkBridge, EthBridge, UsdcBridge, UsdtBridge, BtcBridge, MultiBridge starknet.Felt
	UDCLegacy, UDC                                                        starknet.Felt
	Pool, Forwarder, AMMFactory, CLMMFactory                              starknet.Felt
}

// The L1 side of the bridges and the tokens that they hold, the same for both networks.
var (
	l1StrkBridge  = starknet.MustFelt("0xce5485cfb26914c5dce00b9baf0580364dafc7a4")
	l1EthBridge   = starknet.MustFelt("0xae0ee0a63a2ce6baeeffe56e7714fb4efe48d419")
	l1UsdcBridge  = starknet.MustFelt("0xf6080d9fbeebcd44d89affbfd42f098cbff92816")
	l1UsdtBridge  = starknet.MustFelt("0xbb3400f107804dfb482565ff1ec8d8ae66747605")
	l1BtcBridge   = starknet.MustFelt("0x283751a21eafbfcd52297820d27c1f1963d9b5b4")
	l1MultiBridge = starknet.MustFelt("0xf5b6ee2caeb6769659f6c091d209dfdcaf3f69eb")
	l1Strk        = starknet.MustFelt("0xca14007eff0db1f8135f4c25b34de49ab0d42766")
	l1Usdc        = starknet.MustFelt("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48")
	l1Usdt        = starknet.MustFelt("0xdac17f958d2ee523a2206206994597c13d831ec7")
	l1Wbtc        = starknet.MustFelt("0x2260fac5e5542a773aa44fbcfedf7c193bc2c599")
)

// NetworkNamed returns SN_MAIN or SN_SEPOLIA. On Sepolia, addresses that are
// the same on the real chains are the same; the others differ, so that no token
// address exists on both.
func NetworkNamed(name string) (Network, error) {
	n := Network{
		Name: name,
		Strk: starknet.MustFelt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"),
		Eth:  starknet.MustFelt("0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"),

		UsdcBridged: starknet.MustFelt("0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8"),
		Usdc:        starknet.MustFelt("0x33068f6539f8e6e6b131e6b2b814e6c34a5224bc66947c47dab9dfee93b35fb"),
		Usdt:        starknet.MustFelt("0x68f5c6a61780768455de69077e07e89787839bf8166decfbf92b645209c0fb8"),
		Wbtc:        starknet.MustFelt("0x3fe2b97c1fd336e750087d68b9b867997fd64a2661ff3ca5a7c771641e8e7ac"),
		StrkBtc:     starknet.MustFelt("0x787150e306e6eae6e3f79dea881770e8bbff2c1b8eb490f969669ee945b3135"),

		VStrk: starknet.MustFelt("0x782f0ddca11d9950bc3220e35ac82cf868778edb67a5e58b39838544bc4cd0f"),

		StrkBridge: starknet.MustFelt("0x594c1582459ea03f77deaf9eb7e3917d6994a03c13405ba42867f83d85f085d"),
		EthBridge:  starknet.MustFelt("0x73314940630fd6dcda0d772d4c972c4e0a9946bef9dabf4ef84eda8ef542b82"),
		UsdcBridge: starknet.MustFelt("0x5cd48fccbfd8aa2773fe22c217e808319ffcc1c5a6a463f7d8fa2da48218196"),
		UsdtBridge: starknet.MustFelt("0x74761a8d48ce002963002becc6d9c3dd8a2a05b1075d55e5967f42296f16bd0"),
		BtcBridge:  starknet.MustFelt("0x7aeec4870975311a7396069033796b61cd66ed49d22a786cba12a8d76717302"),

		MultiBridge: starknet.MustFelt("0x616757a151c21f9be8775098d591c2807316d992bbc3bb1a5c1821630589256"),

		UDCLegacy: starknet.MustFelt("0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf"),
		UDC:       starknet.MustFelt("0x2ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125"),

		Pool:        starknet.MustFelt("0x40337b1af3c663e86e333bab5a4b28da8d4652a15a69beee2b677776ffe812a"),
		Forwarder:   starknet.MustFelt("0x127021a1b5a52d3174c2ab077c2b043c80369250d29428cee956d76ee51584f"),
		AMMFactory:  starknet.MustFelt("0xdad44c139a476c7a17fc8141e6db680e9abc9f56fe249a105094c44382c2fd"),
		CLMMFactory: starknet.MustFelt("0x1aa950c9b974294787de8df8880ecf668840a6ab8fa8290bf2952212b375148"),
	}
	switch name {
	case "SN_MAIN":
	case "SN_SEPOLIA":
		n.Pool = starknet.MustFelt("0x254a6b2997ef52e9f830ce1f543f6b29768295e8d17e2267d672c552cfe0d91")
		for _, address := range []*starknet.Felt{
			&n.UsdcBridged, &n.Usdc, &n.Usdt, &n.Wbtc, &n.StrkBtc, &n.StrkBridge, &n.EthBridge,
			&n.UsdcBridge, &n.UsdtBridge, &n.BtcBridge, &n.Forwarder, &n.AMMFactory, &n.CLMMFactory, &n.VStrk, &n.MultiBridge,
		} {
			*address = starknet.ContractAddress(starknet.Felt{}, *address, starknet.Felt{}, nil)
		}
	default:
		return n, fmt.Errorf("unknown network %q; use SN_MAIN or SN_SEPOLIA", name)
	}
	n.ID = starknet.MustShortString(name)
	return n, nil
}
