package bridge

import (
	_ "embed" // the registry is a document
	"sync"

	"astrolabe/domain"
	"astrolabe/starknet"
	"astrolabe/strictjson"
)

// Bridge is a known bridge's contract on L2.
type Bridge struct {
	Protocol string        `json:"protocol"`
	Address  starknet.Felt `json:"bridge"`
	// Token and L1Token are the token of a single-token bridge on both layers;
	// a multi-token bridge has neither.
	Token   *starknet.Felt `json:"token"`
	L1Token *starknet.Felt `json:"l1Token"`
	// Simulated marks an address that exists on a simulated chain only.
	Simulated bool `json:"simulated,omitempty"`
}

//go:embed bridges.json
var registryText []byte

// registry returns the known bridges of each chain by address.
var registry = sync.OnceValue(func() map[domain.Chain]map[starknet.Felt]Bridge {
	var document map[domain.Chain][]Bridge
	if err := strictjson.Decode(registryText, &document); err != nil {
		panic("the embedded bridges cannot be read: " + err.Error())
	}
	chains := make(map[domain.Chain]map[starknet.Felt]Bridge, len(document))
	for c, bridges := range document {
		chains[c] = make(map[starknet.Felt]Bridge, len(bridges))
		for _, b := range bridges {
			chains[c][b.Address] = b
		}
	}
	return chains
})

// Known returns the bridge at an address, false when the registry has none.
func Known(c domain.Chain, address starknet.Felt) (Bridge, bool) {
	b, ok := registry()[c][address]
	return b, ok
}
