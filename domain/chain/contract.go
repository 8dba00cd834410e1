package chain

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ClassSource tells what a contract's class is known from.
type ClassSource string

// The sources of a class.
const (
	ClassFromState      ClassSource = "state_update"    // the state itself, at a block of the index
	ClassFromDeployment ClassSource = "deploy_evidence" // only its deployment
	ClassFromNothing    ClassSource = "none"
)

// ClassFinality tells how firm the block is that a class is known from.
type ClassFinality string

// The steps of finality.
const (
	ClassAtHead       ClassFinality = "head"
	ClassFinalized    ClassFinality = "finalized"
	ClassAcceptedOnL1 ClassFinality = "l1_accepted"
)

// Completeness tells how much of a contract's metadata could be determined.
type Completeness string

// The degrees of completeness.
const (
	MetadataComplete Completeness = "complete"
	// MetadataPartial lacks something that the indexed blocks do not tell, or
	// do not tell yet.
	MetadataPartial Completeness = "partial"
	// MetadataBeforeStart lacks the contract's beginning, which is older than
	// the index.
	MetadataBeforeStart Completeness = "unknown_before_index_start"
)

// Contract is what the index knows of a contract.
type Contract struct {
	Address    starknet.Felt
	Current    *KnownClass // the newest that the state shows; nil when no block does
	Deployment *ContractDeployment
	Token      *TokenIdentity // nil when it was not seen as a token

	// Finality is that of Class; empty without one. Both follow from how far
	// the chain has come.
	Finality     ClassFinality
	Completeness Completeness
}

// KnownClass is a contract's class as a block shows it.
type KnownClass struct {
	Hash    starknet.Felt
	Block   domain.BlockRef
	Account *bool // whether it is an account's; nil when its ABI is not known
}

// ContractDeployment is how a contract came into being. There is one only
// where a block says so: the first activity of a contract is none.
type ContractDeployment struct {
	KnownClass
	Time     time.Time
	TxHash   *starknet.Felt // nil when only the state difference tells of it
	Deployer *starknet.Felt // nil when unknown
}

// TokenIdentity is a contract's identity as a token.
type TokenIdentity struct {
	Standard     facts.Standard
	Name, Symbol *string // what it calls itself; they identify nothing
	Described    bool    // it was asked for them
}

// Class is the newest class that is known of the contract, and from what. It is
// nil when none is.
func (c *Contract) Class() (*KnownClass, ClassSource) {
	switch {
	case c.Current != nil:
		return c.Current, ClassFromState
	case c.Deployment != nil:
		return &c.Deployment.KnownClass, ClassFromDeployment
	}
	return nil, ClassFromNothing
}

// Account tells whether the contract is an account, nil when that is not known.
func (c *Contract) Account() *bool {
	class, _ := c.Class()
	if class == nil {
		return nil
	}
	return class.Account
}

// IsToken is true for a contract that was seen as a token, and nil for every
// other: that none was seen does not tell that it is none.
func (c *Contract) IsToken() *bool {
	if c.Token == nil {
		return nil
	}
	return new(true)
}

// Alias is what a token calls itself: its name, or else its symbol. Nothing
// else has one.
func (c *Contract) Alias() *string {
	switch {
	case c.Token == nil:
		return nil
	case c.Token.Name != nil:
		return c.Token.Name
	}
	return c.Token.Symbol
}

// stamp says what depends on how far the chain has come.
func (c *Contract) stamp(horizon Horizon) {
	if class, _ := c.Class(); class != nil {
		c.Finality = classFinality(class.Block.Number, horizon)
	}
	switch {
	case c.Deployment == nil && horizon.Coverage != nil && horizon.Coverage.First > 0:
		c.Completeness = MetadataBeforeStart
	case c.Deployment == nil, c.Deployment.TxHash == nil, c.Account() == nil, c.Token != nil && !c.Token.Described:
		c.Completeness = MetadataPartial
	default:
		c.Completeness = MetadataComplete
	}
}

func classFinality(block uint64, horizon Horizon) ClassFinality {
	switch {
	case horizon.Finality(block) == AcceptedOnL1:
		return ClassAcceptedOnL1
	case horizon.Tier(block) == FinalizedTier:
		return ClassFinalized
	}
	return ClassAtHead
}

// ContractStore reads contracts.
type ContractStore interface {
	// Contracts returns the contracts at the addresses, in their order; nil
	// stands for one that the index has never seen as a contract.
	Contracts(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*Contract, error)
}

// Contracts answers what is known of contracts.
type Contracts struct {
	store    ContractStore
	statuses *Statuses
}

// NewContracts makes the service.
func NewContracts(store ContractStore, statuses *Statuses) *Contracts {
	return &Contracts{store, statuses}
}

// Of returns the contracts at the addresses, in their order. One that the index
// has never seen as a contract is nil: nothing deployed it, no state shows a
// class of it, it emitted no event, is no token and sent no transaction.
func (s *Contracts) Of(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*Contract, error) {
	contracts, err := s.store.Contracts(ctx, c, addresses)
	if err != nil {
		return nil, err
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, contract := range contracts {
		if contract != nil {
			contract.stamp(horizon)
		}
	}
	return contracts, nil
}

// At returns the contract at an address. One that Of does not know is
// not_found.
func (s *Contracts) At(ctx context.Context, c domain.Chain, address starknet.Felt) (*Contract, error) {
	contracts, err := s.Of(ctx, c, []starknet.Felt{address})
	if err != nil {
		return nil, err
	}
	if contracts[0] == nil {
		return nil, UnknownContract(address)
	}
	return contracts[0], nil
}

// UnknownContract is not_found, the answer to a question about an address that
// the index has never seen as a contract.
func UnknownContract(address starknet.Felt) error {
	return domain.Errorf(domain.CodeNotFound, "No contract is indexed at %s.", address)
}
