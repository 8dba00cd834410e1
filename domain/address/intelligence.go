package address

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Intelligence is what an address is and what it is called.
type Intelligence struct {
	Address starknet.Felt
	Found   bool // the index has seen the address, or it has a label
	// Deployed tells that the address is a contract: a class is known for it,
	// or it did what only contracts do.
	Deployed   bool
	Label      *Label
	Type       Type
	Class      *starknet.Felt
	ClassLabel *string
	// ReceivedFunds tells that the address is the recipient of a transfer.
	ReceivedFunds bool
	// Coverage tells what the answers no and unknown are worth.
	Coverage domain.Coverage
}

// Type is what an address is.
type Type string

// The types.
const (
	TypeAccount  Type = "account"
	TypeToken    Type = "token"
	TypeContract Type = "contract"
	TypeUnknown  Type = "unknown" // no class is known for it
)

// Sight is what an address shows of itself.
type Sight struct {
	Noted
	Seen     bool
	Account  bool           // its class has an account's entry points
	Standard facts.Standard // of a token; empty for what is none
	Received bool
	Acted    bool // it sent a transaction or emitted an event, so that it is a contract
}

// Intelligence returns what each address is, in their order, repeated ones
// included.
func (a *Addresses) Intelligence(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]Intelligence, error) {
	_, coverage, err := a.covered(ctx, c)
	if err != nil {
		return nil, err
	}
	return spread(addresses, func(addresses []starknet.Felt) ([]Intelligence, error) {
		found, err := a.store.ProfilesOf(ctx, c, addresses)
		if err != nil {
			return nil, err
		}
		list := make([]Intelligence, len(addresses))
		for i, address := range addresses {
			sight := &found[i]
			label := a.labels.label(c, address, sight.Noted)
			list[i] = Intelligence{
				Address: address, Found: sight.Seen || label != nil, Deployed: sight.Class != nil || sight.Acted, Label: label, Type: sight.kind(),
				Class: sight.Class, ReceivedFunds: sight.Received, Coverage: coverage,
			}
			if class := a.labels.classLabel(c, sight.Noted); class != nil {
				list[i].ClassLabel = &class.Text
			}
		}
		return list, nil
	})
}

func (s *Sight) kind() Type {
	switch {
	case s.Account:
		return TypeAccount
	case s.Standard != "":
		return TypeToken
	case s.Class != nil:
		return TypeContract
	}
	return TypeUnknown
}
