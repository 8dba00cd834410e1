package domain

import (
	"fmt"
	"slices"

	"astrolabe/starknet"
)

// Chain names a Starknet network. Its text is the path segment of the REST
// contract and, read as a Cairo short string, the chain id that the node
// reports and that transaction hashes commit to.
type Chain string

// The chains that the contract allows.
const (
	Mainnet Chain = "SN_MAIN"
	Sepolia Chain = "SN_SEPOLIA"
)

// Chains lists every allowed chain in the order in which they are presented.
var Chains = []Chain{Mainnet, Sepolia}

// ParseChain reads a chain's exact name. Any other text, a differing case
// included, is invalid_request.
func ParseChain(text string) (Chain, error) {
	switch c := Chain(text); c {
	case Mainnet, Sepolia:
		return c, nil
	default:
		return "", Errorf(CodeInvalidRequest, "%s must be %s or %s, got %s.", Argument("chain"), Mainnet, Sepolia, Quote(text))
	}
}

// Served returns unsupported_chain unless the deployment serves the chain.
func (c Chain) Served(served []Chain) error {
	if !slices.Contains(served, c) {
		return Errorf(CodeUnsupportedChain, "This deployment does not serve %s. The chains that it serves are listed in its capabilities.", c)
	}
	return nil
}

// ID returns the chain id as the node writes it.
func (c Chain) ID() starknet.Felt {
	return starknet.MustFelt(fmt.Sprintf("0x%x", string(c)))
}

// UnmarshalText lets configuration and wire decoders read a chain strictly.
func (c *Chain) UnmarshalText(text []byte) error {
	parsed, err := ParseChain(string(text))
	if err != nil {
		return err
	}
	*c = parsed
	return nil
}
