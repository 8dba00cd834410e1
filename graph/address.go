package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// Address is an address, whatever is known of it.
type Address struct {
	part
	among[*Address]
	Address starknet.Felt
}

// addressType is the type of an address' global id.
const addressType = "Address"

// IsNode marks the address as a Node.
func (a *Address) IsNode() {}

// ID returns the address' global id.
func (a *Address) ID() string { return a.id(addressType, a.Address.String()) }

func (a *Address) felt() starknet.Felt { return a.Address }

// felts are the addresses themselves.
func felts(list []*Address) []starknet.Felt { return convert(list, (*Address).felt) }

// labelOf returns what the address is called, nil when it has no label.
func (a *Address) labelOf(ctx context.Context) (*address.Label, error) {
	return load(ctx, a.peers, edge{field: "Address.label"}, a, func(ctx context.Context, list []*Address) ([]*address.Label, error) {
		return a.h.Labels.Of(ctx, a.chain, felts(list))
	})
}

// Label returns what the address is called.
func (a *Address) Label(ctx context.Context) (*string, error) {
	label, err := a.labelOf(ctx)
	if err != nil || label == nil {
		return nil, err
	}
	return &label.Text, nil
}

// Attribution is what an address is called, and who says so.
type Attribution struct {
	Known      bool
	Label      *string
	Confidence *Word
	Source     Word
	Protocol   *Protocol
}

// Protocol is what an address is a part of.
type Protocol struct {
	Name string
	Kind *string
}

func protocolOf(l *address.Label) *Protocol {
	if l == nil || l.Protocol == nil {
		return nil
	}
	return &Protocol{l.Protocol.Name, textOrNil(l.Protocol.Kind)}
}

// Attribution returns what the address is called, and who says so.
func (a *Address) Attribution(ctx context.Context) (*Attribution, error) {
	label, err := a.labelOf(ctx)
	if err != nil {
		return nil, err
	}
	if label == nil {
		return &Attribution{Source: Word(address.FromNowhere)}, nil
	}
	return &Attribution{true, &label.Text, wordOrNil(label.Confidence), Word(label.Source), protocolOf(label)}, nil
}

// Contract returns the contract at the address.
func (a *Address) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, a.peers, a, "Address.contract", present((*Address).felt), a.contracts)
}

// Token returns the token at the address.
func (a *Address) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, a.peers, a, "Address.token", present((*Address).felt), a.tokens)
}

// Activity returns what happened to the address.
func (a *Address) Activity(ctx context.Context, first *int, after *string) (*AddressActivityConnection, error) {
	return connect(ctx, a, first, after, a.activityOfAddresses, a.countActivity)
}

// countActivity counts what happened to the address. The count is one of the
// batch helpers' facts: who may not ask them does not learn it here.
func (a *Address) countActivity(ctx context.Context) (total, error) {
	if !account.CallerOf(ctx).May(account.Batch) {
		return total{}, nil
	}
	summary, err := a.summary(ctx)
	if err != nil || summary.ActivityCount == nil {
		return total{}, err
	}
	return total{new(uint64(*summary.ActivityCount)), summary.CountExact}, nil
}

// summary returns what the address did, in short.
func (a *Address) summary(ctx context.Context) (address.Summary, error) {
	return load(ctx, a.peers, edge{field: "Address.summary"}, a, func(ctx context.Context, list []*Address) ([]address.Summary, error) {
		return a.h.Addresses.Summaries(ctx, a.chain, felts(list))
	})
}

// Transactions returns the transactions that the address has part in.
func (a *Address) Transactions(ctx context.Context, first *int, after *string) (*AddressTransactionConnection, error) {
	return connect(ctx, a, first, after, a.transactionsOfAddresses, nil)
}

// Transfers returns the transfers that the address sent or received.
func (a *Address) Transfers(ctx context.Context, filter *TransferFilter, first *int, after *string) (*TransferConnection, error) {
	var wanted token.AddressFilter
	if filter != nil {
		if err := checkFilter("tokens", filter.Tokens); err != nil {
			return nil, err
		}
		wanted = token.AddressFilter{Direction: token.Direction(filter.Direction), Tokens: filter.Tokens, From: filter.FromBlock, To: filter.ToBlock}
	}
	return connect(ctx, a, first, after, a.transfersOfAddresses(wanted), nil)
}

// addresses makes a cohort of addresses. Nothing is read: every felt is one.
func (p part) addresses(_ context.Context, list []starknet.Felt) ([]*Address, error) {
	return together(convert(list, func(felt starknet.Felt) *Address { return &Address{part: p, Address: felt} })), nil
}

// Address returns an address.
func (r queryResolver) Address(ctx context.Context, id domain.Chain, address starknet.Felt) (*Address, error) {
	found, err := r.Addresses(ctx, id, []starknet.Felt{address})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// Addresses returns addresses in their order.
func (r queryResolver) Addresses(ctx context.Context, id domain.Chain, addresses []starknet.Felt) ([]*Address, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	return p.addresses(ctx, addresses)
}
