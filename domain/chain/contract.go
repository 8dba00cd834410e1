package chain

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ClassSource is the source of a contract's class.
type ClassSource string

// The sources of a class.
const (
	ClassFromState      ClassSource = "state_update"    // the state itself, at a block of the index
	ClassFromDeployment ClassSource = "deploy_evidence" // only its deployment
	ClassFromNothing    ClassSource = "none"
)

// ClassFinality is the finality of the block that shows a contract's class.
type ClassFinality string

// The steps of finality.
const (
	ClassAtHead       ClassFinality = "head"
	ClassFinalized    ClassFinality = "finalized"
	ClassAcceptedOnL1 ClassFinality = "l1_accepted"
)

// Completeness says how much of a contract's metadata is known.
type Completeness string

// The degrees of completeness.
const (
	MetadataComplete Completeness = "complete"
	// MetadataPartial means that some metadata is not known, or not known yet.
	MetadataPartial Completeness = "partial"
	// MetadataBeforeStart lacks the contract's beginning, which is older than
	// the index.
	MetadataBeforeStart Completeness = "unknown_before_index_start"
)

// Contract is the indexed metadata of a contract.
type Contract struct {
	Address    starknet.Felt
	Current    *KnownClass // newest class in the indexed state; nil if none
	Deployment *ContractDeployment
	Token      *TokenIdentity // nil when it was not seen as a token

	// Finality is that of Class; empty without one. Both follow from how far
	// the chain has come.
	Finality     ClassFinality
	Completeness Completeness
}

// KnownClass is a contract's class with the block that shows it.
type KnownClass struct {
	Hash  starknet.Felt
	Block domain.BlockRef
	// Account reports whether it is an account's, or executes an account's as a
	// proxy; nil when the ABI is not known.
	Account *bool
	// MayBeProxy is set for Cairo 0 classes without an account's entry points.
	MayBeProxy bool
}

// ContractDeployment is the deployment of a contract. It is known only from an
// indexed block: first activity is not a deployment.
type ContractDeployment struct {
	KnownClass
	Time     time.Time
	TxHash   *starknet.Felt // nil if only the state diff shows it
	Deployer *starknet.Felt // nil when unknown, and for an account that deployed itself
}

// TokenIdentity is a contract's identity as a token.
type TokenIdentity struct {
	Standard     facts.Standard
	Name, Symbol *string // self-declared; they do not identify the token
	Described    bool    // they were read from the contract
}

// Class returns the newest known class and its source, nil if none is known.
func (c *Contract) Class() (*KnownClass, ClassSource) {
	switch {
	case c.Current != nil:
		return c.Current, ClassFromState
	case c.Deployment != nil:
		return &c.Deployment.KnownClass, ClassFromDeployment
	}
	return nil, ClassFromNothing
}

// Account reports whether the contract is an account, nil if that is unknown.
func (c *Contract) Account() *bool {
	class, _ := c.Class()
	if class == nil {
		return nil
	}
	return class.Account
}

// IsToken is true for a known token and nil otherwise, because an unknown
// contract may still be a token.
func (c *Contract) IsToken() *bool {
	if c.Token == nil {
		return nil
	}
	return new(true)
}

// Alias is the self-declared name of a token, or else its symbol. Other
// contracts have none.
func (c *Contract) Alias() *string {
	switch {
	case c.Token == nil:
		return nil
	case c.Token.Name != nil:
		return c.Token.Name
	}
	return c.Token.Symbol
}

// stamp sets the fields that depend on the head of the chain, and leaves out the
// deployer of an account that deployed itself.
func (c *Contract) stamp(horizon Horizon) {
	if d := c.Deployment; d != nil && d.Deployer != nil && *d.Deployer == c.Address {
		d.Deployer = nil
	}
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
	// Contracts returns the contracts at the addresses, in order, nil for an
	// address without an indexed contract. Account is that of the class itself.
	Contracts(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*Contract, error)
}

// Contracts reads contracts.
type Contracts struct {
	store           ContractStore
	implementations *Implementations
	statuses        *Statuses
}

// NewContracts makes the service.
func NewContracts(store ContractStore, implementations *Implementations, statuses *Statuses) *Contracts {
	return &Contracts{store, implementations, statuses}
}

// Of returns the contracts at the addresses, in order. It is nil for an address
// without an indexed deployment, class, event, token or sent transaction.
func (s *Contracts) Of(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*Contract, error) {
	contracts, err := s.store.Contracts(ctx, c, addresses)
	if err != nil {
		return nil, err
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	if horizon.Coverage != nil {
		if err := s.throughProxies(ctx, c, contracts, horizon.Coverage.Last); err != nil {
			return nil, err
		}
	}
	for _, contract := range contracts {
		if contract != nil {
			contract.stamp(horizon)
		}
	}
	return contracts, nil
}

// throughProxies sets Account of proxies by what they execute after a block.
func (s *Contracts) throughProxies(ctx context.Context, c domain.Chain, contracts []*Contract, block uint64) error {
	classes, known := map[starknet.Felt]starknet.Felt{}, make([]*KnownClass, len(contracts))
	for i, contract := range contracts {
		if contract == nil {
			continue
		}
		if known[i], _ = contract.Class(); known[i] != nil && known[i].MayBeProxy {
			classes[contract.Address] = known[i].Hash
		}
	}
	accounts, err := s.implementations.Accounts(ctx, c, block, classes)
	for i, contract := range contracts {
		if contract == nil {
			continue
		}
		if account, proxy := accounts[contract.Address]; proxy {
			known[i].Account = account
		}
	}
	return err
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
