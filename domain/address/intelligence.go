package address

import (
	"context"
	"math"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Intelligence is the type, deployment and labels of an address.
type Intelligence struct {
	Address starknet.Felt
	Found   bool // the index has seen the address, or it has a label
	// Deployed reports whether the address is a known contract: its class is
	// known, it sent a transaction or emitted an event.
	Deployed   bool
	Label      *Label
	Type       Type
	Class      *starknet.Felt
	ClassLabel *string
	// ReceivedFunds reports whether the address received an indexed transfer. It
	// is nil if it received none, but may be a party of an untyped one.
	ReceivedFunds *bool
	// Coverage says whether negative and unknown values are reliable. Untyped
	// transfers that a contract emitted make it partial, because the contract may
	// be a token.
	Coverage domain.Coverage
}

// Type is the type of an address.
type Type string

// The types.
const (
	TypeAccount  Type = "account"
	TypeToken    Type = "token"
	TypeContract Type = "contract"
	TypeUnknown  Type = "unknown" // no class is known for it
)

// Profile is the indexed profile of an address.
type Profile struct {
	StoredLabels
	Seen       bool
	Account    bool           // its class has an account's entry points
	MayBeProxy bool           // its class is a Cairo 0 one that has not
	Standard   facts.Standard // of a token; empty for what is none
	Received   bool
	Acted      bool // it sent a transaction or emitted an event, so that it is a contract
}

// Intelligence returns the intelligence of each address, in order, duplicates
// included.
func (a *Addresses) Intelligence(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]Intelligence, error) {
	return spread(addresses, func(addresses []starknet.Felt) ([]Intelligence, error) {
		_, coverage, untyped, err := a.coveredTransfers(ctx, c, addresses)
		if err != nil {
			return nil, err
		}
		found, err := a.store.ProfilesOf(ctx, c, addresses)
		if err != nil {
			return nil, err
		}
		accounts, err := a.accountsBehind(ctx, c, addresses, func(i int) (*starknet.Felt, bool) { return found[i].Class, found[i].MayBeProxy })
		if err != nil {
			return nil, err
		}
		for i, address := range addresses {
			if account := accounts[address]; account != nil {
				found[i].Account = *account
			}
		}
		tokens, err := a.possibleTokens(ctx, c, addresses, found)
		if err != nil {
			return nil, err
		}
		list := make([]Intelligence, len(addresses))
		for i, address := range addresses {
			profile := &found[i]
			label := a.labels.label(c, address, profile.StoredLabels)
			list[i] = Intelligence{
				Address: address, Found: profile.Seen || label != nil, Deployed: profile.Class != nil || profile.Acted, Label: label, Type: profile.kind(),
				Class: profile.Class, Coverage: coverage.Untyped(untyped[i] || tokens[address]),
			}
			if profile.Received || !untyped[i] {
				list[i].ReceivedFunds = &profile.Received
			}
			if class := a.labels.classLabel(c, profile.StoredLabels); class != nil {
				list[i].ClassLabel = &class.Text
			}
		}
		return list, nil
	})
}

// possibleTokens returns the addresses that are neither an account nor a token as
// far as the index knows, but emitted untyped transfers.
func (a *Addresses) possibleTokens(ctx context.Context, c domain.Chain, addresses []starknet.Felt, profiles []Profile) (map[starknet.Felt]bool, error) {
	var others []starknet.Felt
	for i, address := range addresses {
		if kind := profiles[i].kind(); kind != TypeAccount && kind != TypeToken {
			others = append(others, address)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	emitted, err := a.untyped.UntypedOf(ctx, c, others, facts.UntypedContract, 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	possible := make(map[starknet.Felt]bool, len(others))
	for i, address := range others {
		possible[address] = emitted[i]
	}
	return possible, nil
}

func (s *Profile) kind() Type {
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
