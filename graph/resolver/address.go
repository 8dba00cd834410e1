package resolver

import (
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/domain/token"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
	"context"
	"time"
)

// Address is an address, whether it is an account, another contract or unknown
// to the index.
type Address struct {
	onChain
	membership[*Address]
	Address starknet.Felt
}

// addressType is the type of an address' global id.
const addressType = "Address"

// IsNode marks the address as a Node.
func (a *Address) IsNode() {}

// ID returns the address' global id.
func (a *Address) ID() string { return a.id(addressType, a.Address.String()) }

func (a *Address) felt() starknet.Felt { return a.Address }

// labelOf returns the label of the address, nil if it has none.
func (a *Address) labelOf(ctx context.Context) (*address.Label, error) {
	return loadFact(ctx, a, (*Address).felt, factOf(a.onChain, "label of an address", a.resolver.Labels.Of))
}

// Label returns the label of the address.
func (a *Address) Label(ctx context.Context) (*string, error) {
	label, err := a.labelOf(ctx)
	if err != nil || label == nil {
		return nil, err
	}
	return &label.Text, nil
}

// Attribution is the label of an address, with its source.
type Attribution struct {
	Known      bool
	Label      *string
	Confidence *scalar.Enum
	Source     scalar.Enum
	Protocol   *Protocol
}

// Protocol is the protocol that an address belongs to.
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

// Attribution returns the label of the address, with its source.
func (a *Address) Attribution(ctx context.Context) (*Attribution, error) {
	label, err := a.labelOf(ctx)
	if err != nil {
		return nil, err
	}
	if label == nil {
		return &Attribution{Source: scalar.Enum(address.FromNowhere)}, nil
	}
	return &Attribution{true, &label.Text, enumOrNil(label.Confidence), scalar.Enum(label.Source), protocolOf(label)}, nil
}

// Contract returns the contract at this address.
func (a *Address) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, a, "Address.contract", requiredKey((*Address).felt), a.contracts())
}

// Token returns the token at this address.
func (a *Address) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, a, "Address.token", requiredKey((*Address).felt), a.tokens())
}

// Activity returns the activity of the address, newest first.
func (a *Address) Activity(ctx context.Context, first *int, after *string) (*AddressActivityConnection, error) {
	return connect(ctx, a, first, after, (*Address).felt, a.activityOfAddresses(), a.countActivity)
}

// countActivity counts the activity of the address. The count needs the
// permission batch, as it does in REST.
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

// summary returns the summary of the address, loaded for its cohort.
func (a *Address) summary(ctx context.Context) (address.Summary, error) {
	return loadFact(ctx, a, (*Address).felt, factOf(a.onChain, "summary of an address", a.resolver.Addresses.Summaries))
}

// Transactions returns the transactions that involve the address, newest first.
func (a *Address) Transactions(ctx context.Context, first *int, after *string) (*AddressTransactionConnection, error) {
	return connect(ctx, a, first, after, (*Address).felt, a.transactionsOfAddresses(), nil)
}

// Transfers returns the transfers from or to the address, newest first.
func (a *Address) Transfers(ctx context.Context, filter *TransferFilter, first *int, after *string) (*TransferConnection, error) {
	var wanted token.AddressFilter
	if filter != nil {
		if err := checkFilter("filter.tokens", filter.Tokens); err != nil {
			return nil, err
		}
		wanted = token.AddressFilter{Direction: token.Direction(filter.Direction), Tokens: filter.Tokens, From: filter.FromBlock, To: filter.ToBlock}
	}
	return connect(ctx, a, first, after, (*Address).felt, a.transfersOfAddresses(wanted), nil)
}

// newAddress makes an address, which has no cohort yet.
func (on onChain) newAddress(felt starknet.Felt) *Address {
	return &Address{onChain: on, Address: felt}
}

// newAddresses makes a cohort of addresses. Nothing is read, because every felt
// is an address.
func (on onChain) newAddresses(cache *cohort.Cache, felts []starknet.Felt) []*Address {
	return joinCohort(cache, convert(felts, on.newAddress))
}

// Address returns an address, whether it is an account, another contract or
// unknown to the index.
func (r *Query) Address(ctx context.Context, id domain.Chain, address starknet.Felt) (*Address, error) {
	found, err := r.Addresses(ctx, id, []starknet.Felt{address})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// Addresses returns several addresses, in request order.
func (r *Query) Addresses(_ context.Context, id domain.Chain, addresses []starknet.Felt) ([]*Address, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	return on.newAddresses(nil, addresses), nil
}

// AddressSummary is the summary of an address.
type AddressSummary struct {
	Found               bool
	TotalActivityCount  *int
	ActivityCountExact  bool
	LatestActivityBlock *uint64
	ClassHash           *starknet.Felt
	IsAccount           *bool
	CreatedOnIso        *time.Time
	DeployedAtTxHash    *starknet.Felt
	DeployedByAddress   *starknet.Felt
	Coverage            *Coverage
}

// Summary returns the activity count, class and deployment of the address.
func (a *Address) Summary(ctx context.Context) (*AddressSummary, error) {
	s, err := a.summary(ctx)
	if err != nil {
		return nil, err
	}
	return &AddressSummary{s.Found, s.ActivityCount, s.CountExact, s.LatestBlock, s.Class, s.Account, s.CreatedAt, s.DeployedAtTx, s.DeployedBy, coverageOf(s.Coverage)}, nil
}

// AddressIntelligence holds the deployment, type, label and protocol of an
// address.
type AddressIntelligence struct {
	Found, IsDeployed bool
	Label             *string
	LabelSource       *scalar.Enum
	Protocol          *Protocol
	TypeLabel         scalar.Enum
	ClassHash         *starknet.Felt
	ClassLabel        *string
	HasReceivedFunds  *bool
	Coverage          *Coverage
}

// Intelligence returns the deployment, type, label and protocol of the address.
func (a *Address) Intelligence(ctx context.Context) (*AddressIntelligence, error) {
	i, err := loadFact(ctx, a, (*Address).felt, factOf(a.onChain, "intelligence of an address", a.resolver.Addresses.Intelligence))
	if err != nil {
		return nil, err
	}
	known := &AddressIntelligence{
		Found: i.Found, IsDeployed: i.Deployed, Protocol: protocolOf(i.Label), TypeLabel: scalar.Enum(i.Type), ClassHash: i.Class,
		ClassLabel: i.ClassLabel, HasReceivedFunds: i.ReceivedFunds, Coverage: coverageOf(i.Coverage),
	}
	if i.Label != nil {
		known.Label, known.LabelSource = &i.Label.Text, enumOrNil(i.Label.Source)
	}
	return known, nil
}
