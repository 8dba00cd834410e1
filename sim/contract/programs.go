package contract

import "astrolabe/sim/vm"

// The names of the classes that have a program.
const (
	Account           = "account"
	ERC20Legacy       = "erc20_legacy"
	ERC20Keyed        = "erc20_keyed"
	ERC721Legacy      = "erc721_legacy"
	ERC721Keyed       = "erc721_keyed"
	ERC1155           = "erc1155"
	UDCLegacy         = "udc_legacy"
	UDC               = "udc"
	TokenBridgeLegacy = "token_bridge_legacy"
	TokenBridge       = "token_bridge"
	AMMFactory        = "amm_factory"
	AMMPair           = "amm_pair"
	CLMMFactory       = "clmm_factory"
	CLMMPool          = "clmm_pool"
	PrivacyPoolV1     = "privacy_pool_v1"
	PrivacyPoolV2     = "privacy_pool_v2"
	Oddities          = "oddities"
	UpgradableV1      = "upgradable_v1"
	UpgradableV2      = "upgradable_v2"
	ProxyStarkGate    = "proxy_starkgate"
	ProxyOpenZeppelin = "proxy_openzeppelin"
	ERC20Cairo0       = "erc20_cairo0"
	ERC20Cairo0V2     = "erc20_cairo0_v2"
	ERC721Cairo0      = "erc721_cairo0"
	ERC721Cairo0V2    = "erc721_cairo0_v2"
)

// Programs returns the program of every class that has one.
func Programs() map[string]*vm.Program {
	return map[string]*vm.Program{
		Account:           account(),
		ERC20Legacy:       erc20Legacy(),
		ERC20Keyed:        erc20Keyed(),
		ERC721Legacy:      erc721Legacy(),
		ERC721Keyed:       erc721Keyed(),
		ERC1155:           erc1155(),
		UDCLegacy:         deployer("deployContract"),
		UDC:               deployer("deployContract", "deploy_contract"),
		TokenBridgeLegacy: tokenBridgeLegacy(),
		TokenBridge:       tokenBridge(),
		AMMFactory:        ammFactory(),
		AMMPair:           ammPair(),
		CLMMFactory:       clmmFactory(),
		CLMMPool:          clmmPool(),
		PrivacyPoolV1:     privacyPool{}.program(),
		PrivacyPoolV2:     privacyPool{second: true}.program(),
		Oddities:          oddities(),
		UpgradableV1:      upgradable(false),
		UpgradableV2:      upgradable(true),
		ProxyStarkGate:    proxyStarkGate(),
		ProxyOpenZeppelin: proxyOpenZeppelin(),
		ERC20Cairo0:       erc20Cairo0(),
		ERC20Cairo0V2:     erc20Cairo0V2(),
		ERC721Cairo0:      erc721Cairo0(),
		ERC721Cairo0V2:    erc721Cairo0V2(),
	}
}
