package privacy

import (
	"slices"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// knownPools are the pools that are deployed on public chains.
var knownPools = map[domain.Chain][]starknet.Felt{
	domain.Mainnet: {starknet.MustFelt("0x40337b1af3c663e86e333bab5a4b28da8d4652a15a69beee2b677776ffe812a")},
	domain.Sepolia: {starknet.MustFelt("0x254a6b2997ef52e9f830ce1f543f6b29768295e8d17e2267d672c552cfe0d91")},
}

// KnownPools returns the privacy pools of a chain that are indexed unless the
// operator names others.
func KnownPools(c domain.Chain) []starknet.Felt { return slices.Clone(knownPools[c]) }
