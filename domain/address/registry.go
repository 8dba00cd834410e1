package address

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"astrolabe/domain"
	"astrolabe/starknet"
	"astrolabe/strictjson"
)

//go:embed registry/*.json
var registryFiles embed.FS

// registry is the built-in registry of one chain.
type registry struct {
	labels  map[starknet.Felt]Label
	classes map[starknet.Felt]Label
	tokens  []RegistryToken // by address
}

// RegistryToken is a token that is listed whether an address holds it or not.
type RegistryToken struct {
	Address  starknet.Felt
	Symbol   string
	Name     string
	Decimals uint8
}

// The documents of the registry.
type (
	addressDocument struct {
		Address    starknet.Felt  `json:"address"`
		Label      string         `json:"label"`
		Confidence Confidence     `json:"confidence"`
		Protocol   *Protocol      `json:"protocol"`
		Token      *tokenDocument `json:"token"`
	}
	tokenDocument struct {
		Symbol   string `json:"symbol"`
		Name     string `json:"name"`
		Decimals uint8  `json:"decimals"`
	}
	classDocument struct {
		Class    starknet.Felt `json:"class"`
		Label    string        `json:"label"`
		Protocol *Protocol     `json:"protocol"`
	}
)

// registries are read once. They are part of the program: a fault in them is a
// fault of the program.
var registries = sync.OnceValue(func() map[domain.Chain]*registry {
	all := make(map[domain.Chain]*registry)
	var classes []classDocument
	readRegistry("classes", &classes)
	for _, c := range domain.Chains {
		r := &registry{labels: make(map[starknet.Felt]Label), classes: make(map[starknet.Felt]Label)}
		for _, class := range classes {
			r.classes[class.Class] = Label{class.Label, Medium, FromClass, class.Protocol}
		}
		var addresses []addressDocument
		readRegistry(string(c), &addresses)
		for _, a := range addresses {
			r.labels[a.Address] = Label{a.Label, a.Confidence, FromRegistry, a.Protocol}
			if t := a.Token; t != nil {
				r.tokens = append(r.tokens, RegistryToken{a.Address, t.Symbol, t.Name, t.Decimals})
			}
		}
		slices.SortFunc(r.tokens, func(a, b RegistryToken) int { return a.Address.Cmp(b.Address) })
		all[c] = r
	}
	return all
})

func readRegistry(name string, v any) {
	text, err := registryFiles.ReadFile("registry/" + name + ".json")
	if err == nil {
		err = strictjson.Decode(text, v)
	}
	if err != nil {
		panic(fmt.Sprintf("the registry %s: %v", name, err))
	}
}

func registryOf(c domain.Chain) *registry { return registries()[c] }

// beginning returns the addresses whose label begins with a text, in any case.
func (r *registry) beginning(prefix string) (list []starknet.Felt) {
	for address, label := range r.labels {
		if strings.HasPrefix(strings.ToLower(label.Text), strings.ToLower(prefix)) {
			list = append(list, address)
		}
	}
	return list
}

// RegistryTokens returns the tokens that the registry lists on a chain, by
// address. Callers change nothing.
func RegistryTokens(c domain.Chain) []RegistryToken { return registryOf(c).tokens }
