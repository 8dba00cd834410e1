package resolver

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// Contract is what the index knows of a contract.
type Contract struct {
	onChain
	membership[*Contract]
	facts *chain.Contract
}

// contractType is the type of a contract's global id.
const contractType = "Contract"

// IsNode marks the contract as a Node.
func (c *Contract) IsNode() {}

// ID returns the contract's global id.
func (c *Contract) ID() string { return c.id(contractType, c.facts.Address.String()) }

// Address returns the contract's address.
func (c *Contract) Address() starknet.Felt { return c.facts.Address }

// known returns the newest class that is known, or an empty one.
func (c *Contract) known() *chain.KnownClass {
	class, _ := c.facts.Class()
	return class
}

// ClassHash returns the newest class that is known of the contract.
func (c *Contract) ClassHash() *starknet.Felt {
	if class := c.known(); class != nil {
		return &class.Hash
	}
	return nil
}

// CurrentClassHash returns the class as the state shows it.
func (c *Contract) CurrentClassHash() *starknet.Felt {
	if c.facts.Current == nil {
		return nil
	}
	return &c.facts.Current.Hash
}

// DeploymentClassHash returns the class that the contract was deployed with.
func (c *Contract) DeploymentClassHash() *starknet.Felt {
	if c.facts.Deployment == nil {
		return nil
	}
	return &c.facts.Deployment.Hash
}

// ClassHashSource tells what the class is known from.
func (c *Contract) ClassHashSource() scalar.Enum {
	_, source := c.facts.Class()
	return scalar.Enum(source)
}

// ClassHashAsOfBlock returns the block that the class is known from.
func (c *Contract) ClassHashAsOfBlock() *uint64 {
	if class := c.known(); class != nil {
		return &class.Block.Number
	}
	return nil
}

// ClassHashAsOfBlockHash returns the hash of that block.
func (c *Contract) ClassHashAsOfBlockHash() *starknet.Felt {
	if class := c.known(); class != nil {
		return &class.Block.Hash
	}
	return nil
}

// ClassHashFinality tells how firm that block is.
func (c *Contract) ClassHashFinality() *scalar.Enum { return enumOrNil(c.facts.Finality) }

// DeployedAtBlock returns the block that deployed the contract.
func (c *Contract) DeployedAtBlock() *uint64 {
	if c.facts.Deployment == nil {
		return nil
	}
	return &c.facts.Deployment.Block.Number
}

// DeployedAtTx returns the transaction that deployed the contract.
func (c *Contract) DeployedAtTx() *starknet.Felt {
	if c.facts.Deployment == nil {
		return nil
	}
	return c.facts.Deployment.TxHash
}

// CreatedOnIso returns when the contract was deployed.
func (c *Contract) CreatedOnIso() *time.Time {
	if c.facts.Deployment == nil {
		return nil
	}
	return &c.facts.Deployment.Time
}

// DeployedByAddress returns who deployed the contract.
func (c *Contract) DeployedByAddress() *starknet.Felt {
	if c.facts.Deployment == nil {
		return nil
	}
	return c.facts.Deployment.Deployer
}

// IsAccount tells whether the contract is an account.
func (c *Contract) IsAccount() *bool { return c.facts.Account() }

// IsToken tells that the contract was seen as a token.
func (c *Contract) IsToken() *bool { return c.facts.IsToken() }

// TokenKind returns the contract's token standard.
func (c *Contract) TokenKind() *scalar.Enum {
	if c.facts.Token == nil {
		return nil
	}
	return enumOrNil(c.facts.Token.Standard)
}

// Alias returns what a token calls itself.
func (c *Contract) Alias() *string { return c.facts.Alias() }

// MetadataCompleteness tells how much could be determined.
func (c *Contract) MetadataCompleteness() scalar.Enum { return scalar.Enum(c.facts.Completeness) }

// Class returns the contract's class.
func (c *Contract) Class(ctx context.Context) (*ContractClass, error) {
	return toOne(ctx, c, "Contract.class", optionalKey((*Contract).ClassHash), c.classes())
}

// Deployer returns who deployed the contract.
func (c *Contract) Deployer(context.Context) (*Address, error) {
	return toAddress(c, "Contract.deployer", optionalKey((*Contract).DeployedByAddress))
}

// Deployment returns the transaction that deployed the contract.
func (c *Contract) Deployment(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, c, "Contract.deployment", optionalKey((*Contract).DeployedAtTx), c.transactionsByHash())
}

// Token returns the token that the contract is.
func (c *Contract) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, c, "Contract.token", func(c *Contract) (starknet.Felt, bool) { return c.facts.Address, c.facts.Token != nil }, c.tokens())
}

// Account returns the same address as an address.
func (c *Contract) Account(context.Context) (*Address, error) {
	return toAddress(c, "Contract.account", requiredKey((*Contract).Address))
}

// Events returns the contract's events.
func (c *Contract) Events(ctx context.Context, filter *ContractEventFilter, first *int, after *string) (*EventConnection, error) {
	var wanted event.ContractFilter
	if filter != nil {
		wanted = event.ContractFilter{Selectors: filter.Selectors, From: filter.FromBlock, To: filter.ToBlock}
	}
	page, l, err := toMany(ctx, c, first, after, (*Contract).Address, c.eventsOfContracts(wanted))
	if err != nil {
		return nil, err
	}
	return page.connection(l, nil), nil
}

// Messages returns the messages that the contract handled or sent.
func (c *Contract) Messages(ctx context.Context, filter *MessageFilter, first *int, after *string) (*MessageConnection, error) {
	return connect(ctx, c, first, after, (*Contract).Address, c.messagesOfContracts(filter.filter()), nil)
}

// contracts looks contracts up; nil stands for one that the index has never seen.
func (on onChain) contracts() lookup[starknet.Felt, *chain.Contract, *Contract] {
	return lookupOf(factOf(on, "contract by address", on.resolver.Contracts.Of), func(facts *chain.Contract) *Contract {
		return &Contract{onChain: on, facts: facts}
	})
}

// Contract returns a contract by its address.
func (r *Query) Contract(ctx context.Context, id domain.Chain, address starknet.Felt) (*Contract, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	return single(on.contracts().all(ctx, nil, []starknet.Felt{address}))(chain.UnknownContract(address))
}

// single returns the only object of a read, or an error when there is none.
func single[T any](found []*T, err error) func(absent error) (*T, error) {
	return func(absent error) (*T, error) {
		if err != nil {
			return nil, err
		}
		if found[0] == nil {
			return nil, absent
		}
		return found[0], nil
	}
}
