package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// ContractClass is a class with its indexed metadata and ABI.
type ContractClass struct {
	onChain
	membership[*ContractClass]
	facts *chain.Class
}

// classType is the type of a class' global id.
const classType = "ContractClass"

// IsNode marks the class as a Node.
func (c *ContractClass) IsNode() {}

// ID returns the class' global id.
func (c *ContractClass) ID() string { return c.id(classType, c.facts.Hash.String()) }

// ClassHash returns the class hash.
func (c *ContractClass) ClassHash() starknet.Felt { return c.facts.Hash }

// IsSierra reports whether the class is a Sierra class (Cairo 1).
func (c *ContractClass) IsSierra() bool { return c.facts.Sierra }

// IsAccount reports whether the class has the entry points of an account.
func (c *ContractClass) IsAccount() *bool {
	if !c.facts.Known {
		return nil
	}
	return &c.facts.Account
}

// Standard returns the token standard of the ABI, nil if it matches none.
func (c *ContractClass) Standard() *scalar.Enum { return enumOrNil(c.facts.Standard) }

// DeclaredAtBlock returns the block that declared the class.
func (c *ContractClass) DeclaredAtBlock() *uint64 {
	if c.facts.Declaration == nil {
		return nil
	}
	return &c.facts.Declaration.Block
}

// DeclaredAtTx returns the transaction that declared the class.
func (c *ContractClass) DeclaredAtTx() *starknet.Felt {
	if c.facts.Declaration == nil {
		return nil
	}
	return c.facts.Declaration.TxHash
}

// CompiledClassHash returns the compiled class hash.
func (c *ContractClass) CompiledClassHash() *starknet.Felt {
	if c.facts.Declaration == nil {
		return nil
	}
	return c.facts.Declaration.Compiled
}

// Abi returns the ABI as declared, in JSON, nil if unknown.
func (c *ContractClass) Abi(ctx context.Context) (*string, error) {
	text, err := loadFact(ctx, c, (*ContractClass).ClassHash, factOf(c.onChain, "ABI of a class", c.resolver.Classes.ABIs))
	if err != nil || text == nil {
		return nil, err
	}
	return new(string(text)), nil
}

// compiled returns the parsed ABI, nil if it is unknown.
func (c *ContractClass) compiled(ctx context.Context) (*facts.Class, error) {
	class, err := loadFact(ctx, c, (*ContractClass).ClassHash, factOf(c.onChain, "compiled class", func(ctx context.Context, id domain.Chain, hashes []starknet.Felt) ([]*facts.Class, error) {
		found, err := c.resolver.Compiled.Of(ctx, id, hashes)
		return convert(hashes, func(hash starknet.Felt) *facts.Class { return found[hash] }), err
	}))
	if err != nil || class == nil || class.Schema() == nil {
		return nil, err
	}
	return class, nil
}

// Verification returns the verification record of the class.
func (c *ContractClass) Verification(ctx context.Context) (*ContractVerification, error) {
	return toOne(ctx, c, "ContractClass.verification", requiredKey((*ContractClass).ClassHash), c.verifications())
}

// EventSchemas returns the events of the ABI, nil if it is unknown.
func (c *ContractClass) EventSchemas(ctx context.Context) ([]EventSchema, error) {
	class, err := c.compiled(ctx)
	if err != nil || class == nil {
		return nil, err
	}
	return convert(class.Events, func(e facts.EventSchema) EventSchema {
		return EventSchema{e.Selector, e.Name, e.Path, fieldSchemas(e.Fields), textOrNil(e.Unsupported), e.Ambiguous}
	}), nil
}

// FunctionSchemas returns the entry points of the ABI, nil if it is
// unknown.
func (c *ContractClass) FunctionSchemas(ctx context.Context) ([]FunctionSchema, error) {
	class, err := c.compiled(ctx)
	if err != nil || class == nil {
		return nil, err
	}
	return convert(class.Functions, func(f facts.FunctionSchema) FunctionSchema {
		return FunctionSchema{f.Selector, f.Name, f.View, f.L1Handler, fieldSchemas(f.Inputs), fieldSchemas(f.Outputs), textOrNil(f.Unsupported)}
	}), nil
}

// EventSchema is an event of an ABI.
type EventSchema struct {
	Selector    starknet.Felt
	Name        string
	Path        []string
	Fields      []FieldSchema
	Unsupported *string
	Ambiguous   bool
}

// FunctionSchema is an entry point of an ABI.
type FunctionSchema struct {
	Selector        starknet.Felt
	Name            string
	View, L1Handler bool
	Inputs, Outputs []FieldSchema
	Unsupported     *string
}

// FieldSchema is a named and typed field of an event or function.
type FieldSchema struct {
	Name, Type string
	Source     *scalar.Enum
}

func fieldSchemas(fields []facts.FieldSchema) []FieldSchema {
	return convert(fields, func(f facts.FieldSchema) FieldSchema { return FieldSchema{f.Name, f.Type, enumOrNil(f.Source)} })
}

// Declaration returns the transaction that declared the class.
func (c *ContractClass) Declaration(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, c, "ContractClass.declaration", optionalKey((*ContractClass).DeclaredAtTx), c.transactionsByHash())
}

// Contracts returns the contracts that have or had this class, newest first.
func (c *ContractClass) Contracts(ctx context.Context, first *int, after *string) (*ClassUseConnection, error) {
	return connect(ctx, c, first, after, (*ContractClass).ClassHash, c.usesOfClasses(), nil)
}

// ClassUse is a contract that adopted a class.
type ClassUse struct {
	onChain
	membership[*ClassUse]
	use chain.ClassUse
}

// Address returns the address of the contract.
func (u *ClassUse) Address() starknet.Felt { return u.use.Contract }

// BlockNumber returns the block from which the contract had the class.
func (u *ClassUse) BlockNumber() uint64 { return u.use.Block }

// Origin returns how the contract got the class.
func (u *ClassUse) Origin() scalar.Enum { return scalar.Enum(u.use.Origin) }

// Current reports whether the contract still has the class.
func (u *ClassUse) Current() bool { return u.use.Current }

// Contract returns the contract.
func (u *ClassUse) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, u, "ClassUse.contract", requiredKey((*ClassUse).Address), u.contracts())
}

// ClassUseConnection is a page of contracts that have or had a class.
type ClassUseConnection = Connection[*ClassUse]

// ClassUseEdge is an edge of a connection with one contract and its cursor.
type ClassUseEdge = Edge[*ClassUse]

// usesOfClasses pages through each class' contracts.
func (on onChain) usesOfClasses() pager[starknet.Felt, domain.Page[chain.ClassUse], slice[*ClassUse]] {
	return pager[starknet.Felt, domain.Page[chain.ClassUse], slice[*ClassUse]]{
		pagesOf(on, on.resolver.Classes.Uses),
		func(b *cohort.Batch[starknet.Felt, domain.Page[chain.ClassUse]]) []slice[*ClassUse] {
			return slicesOf(b.Cache, b.Values, chain.ClassUse.Position, func(_ int, use chain.ClassUse) *ClassUse { return &ClassUse{onChain: on, use: use} })
		},
	}
}

// classes looks up classes; a class that is not indexed is nil.
func (on onChain) classes() lookup[starknet.Felt, *chain.Class, *ContractClass] {
	return lookupOf(factOf(on, "class by hash", on.resolver.Classes.Of), func(facts *chain.Class) *ContractClass {
		return &ContractClass{onChain: on, facts: facts}
	})
}

// Class returns a class by hash.
func (r *Query) Class(ctx context.Context, id domain.Chain, hash starknet.Felt) (*ContractClass, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	return single(on.classes().all(ctx, nil, []starknet.Felt{hash}))(domain.Errorf(domain.CodeNotFound, "Class %s is not indexed.", hash))
}
