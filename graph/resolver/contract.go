package resolver

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/verify"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// Contract is a contract with its indexed metadata.
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

// Address returns the address of the contract.
func (c *Contract) Address() starknet.Felt { return c.facts.Address }

// known returns the newest known class, or an empty one.
func (c *Contract) known() *chain.KnownClass {
	class, _ := c.facts.Class()
	return class
}

// ClassHash returns the newest known class.
func (c *Contract) ClassHash() *starknet.Felt {
	if class := c.known(); class != nil {
		return &class.Hash
	}
	return nil
}

// CurrentClassHash returns the newest class in the indexed state.
func (c *Contract) CurrentClassHash() *starknet.Felt {
	if c.facts.Current == nil {
		return nil
	}
	return &c.facts.Current.Hash
}

// DeploymentClassHash returns the class at deployment.
func (c *Contract) DeploymentClassHash() *starknet.Felt {
	if c.facts.Deployment == nil {
		return nil
	}
	return &c.facts.Deployment.Hash
}

// ClassHashSource returns the source of classHash.
func (c *Contract) ClassHashSource() scalar.Enum {
	_, source := c.facts.Class()
	return scalar.Enum(source)
}

// ClassHashAsOfBlock returns the block of the evidence for classHash.
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

// ClassHashFinality returns the finality of that block.
func (c *Contract) ClassHashFinality() *scalar.Enum { return enumOrNil(c.facts.Finality) }

// DeployedAtBlock returns the block of the deployment.
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

// DeployedByAddress returns the address that deployed the contract.
func (c *Contract) DeployedByAddress() *starknet.Felt {
	if c.facts.Deployment == nil {
		return nil
	}
	return c.facts.Deployment.Deployer
}

// IsAccount reports whether the contract is an account.
func (c *Contract) IsAccount() *bool { return c.facts.Account() }

// IsToken returns true if the contract is known to be a token, otherwise nil.
func (c *Contract) IsToken() *bool { return c.facts.IsToken() }

// TokenKind returns the token standard.
func (c *Contract) TokenKind() *scalar.Enum {
	if c.facts.Token == nil {
		return nil
	}
	return enumOrNil(c.facts.Token.Standard)
}

// Alias returns the self-declared name of a token.
func (c *Contract) Alias() *string { return c.facts.Alias() }

// MetadataCompleteness returns how much of the metadata is known.
func (c *Contract) MetadataCompleteness() scalar.Enum { return scalar.Enum(c.facts.Completeness) }

// Class returns the newest known class.
func (c *Contract) Class(ctx context.Context) (*ContractClass, error) {
	return toOne(ctx, c, "Contract.class", optionalKey((*Contract).ClassHash), c.classes())
}

// Deployer returns the address that deployed the contract.
func (c *Contract) Deployer(context.Context) (*Address, error) {
	return toAddress(c, "Contract.deployer", optionalKey((*Contract).DeployedByAddress))
}

// Deployment returns the transaction that deployed the contract.
func (c *Contract) Deployment(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, c, "Contract.deployment", optionalKey((*Contract).DeployedAtTx), c.transactionsByHash())
}

// Token returns the contract as a token.
func (c *Contract) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, c, "Contract.token", func(c *Contract) (starknet.Felt, bool) { return c.facts.Address, c.facts.Token != nil }, c.tokens())
}

// Account returns the contract as an address, with its activity and balances.
func (c *Contract) Account(context.Context) (*Address, error) {
	return toAddress(c, "Contract.account", requiredKey((*Contract).Address))
}

// Events returns the events of the contract, newest first.
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

// Messages returns the messages that the contract handled or sent, newest
// first.
func (c *Contract) Messages(ctx context.Context, filter *MessageFilter, first *int, after *string) (*MessageConnection, error) {
	return connect(ctx, c, first, after, (*Contract).Address, c.messagesOfContracts(filter.filter()), nil)
}

// contracts looks up contracts; an unknown contract is nil.
func (on onChain) contracts() lookup[starknet.Felt, *chain.Contract, *Contract] {
	return lookupOf(factOf(on, "contract by address", on.resolver.Contracts.Of), func(facts *chain.Contract) *Contract {
		return &Contract{onChain: on, facts: facts}
	})
}

// Contract returns a contract by address.
func (r *Query) Contract(ctx context.Context, id domain.Chain, address starknet.Felt) (*Contract, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	return single(on.contracts().all(ctx, nil, []starknet.Felt{address}))(chain.UnknownContract(address))
}

// single returns the only object of a read, or an error if there is none.
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

// ContractVerification is the verification record of a class: its source was
// rebuilt and reproduced the declared class hash.
type ContractVerification struct {
	ClassHash     starknet.Felt
	Verification  string
	ReceiptID     domain.Amount
	IssuedAt      time.Time
	KeyID         string
	ReceiptDigest string
}

// Verification returns the verification record of the current class.
func (c *Contract) Verification(ctx context.Context) (*ContractVerification, error) {
	return toOne(ctx, c, "Contract.verification", optionalKey((*Contract).ClassHash), c.verifications())
}

// verifications looks up the records of classes; a class without one is nil.
func (on onChain) verifications() lookup[starknet.Felt, *verify.Record, *ContractVerification] {
	return lookup[starknet.Felt, *verify.Record, *ContractVerification]{
		factOf(on, "verification of a class", on.resolver.Verifications.OfClasses),
		func(b *cohort.Batch[starknet.Felt, *verify.Record]) []*ContractVerification {
			return convert(b.Values, func(r *verify.Record) *ContractVerification {
				if r == nil {
					return nil
				}
				return &ContractVerification{r.Class, verify.Exact, domain.AmountFromUint64(r.ReceiptID), r.IssuedAt, r.KeyID, r.ReceiptDigest}
			})
		},
	}
}
