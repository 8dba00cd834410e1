package graph

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ContractClass is what the index knows of a class.
type ContractClass struct {
	part
	among[*ContractClass]
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

// IsSierra tells whether the class is of Cairo 1.
func (c *ContractClass) IsSierra() bool { return c.facts.Sierra }

// IsAccount tells whether the class has an account's entry points.
func (c *ContractClass) IsAccount() *bool {
	if !c.facts.Known {
		return nil
	}
	return &c.facts.Account
}

// Standard returns the token standard that the ABI shows.
func (c *ContractClass) Standard() *Word { return wordOrNil(c.facts.Standard) }

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

// CompiledClassHash returns the hash of the compiled code.
func (c *ContractClass) CompiledClassHash() *starknet.Felt {
	if c.facts.Declaration == nil {
		return nil
	}
	return c.facts.Declaration.Compiled
}

// Abi returns the ABI as it was declared.
func (c *ContractClass) Abi(ctx context.Context) (*string, error) {
	text, err := load(ctx, c.peers, edge{field: "ContractClass.abi"}, c, func(ctx context.Context, classes []*ContractClass) ([][]byte, error) {
		return c.h.Classes.ABIs(ctx, c.chain, convert(classes, (*ContractClass).ClassHash))
	})
	if err != nil || text == nil {
		return nil, err
	}
	return new(string(text)), nil
}

// compiled returns what the ABI says, nil when it is not known.
func (c *ContractClass) compiled(ctx context.Context) (*facts.Class, error) {
	class, err := load(ctx, c.peers, edge{field: "ContractClass.compiled"}, c, func(ctx context.Context, classes []*ContractClass) ([]*facts.Class, error) {
		hashes := convert(classes, (*ContractClass).ClassHash)
		found, err := c.h.Compiled.Of(ctx, c.chain, hashes)
		return convert(hashes, func(hash starknet.Felt) *facts.Class { return found[hash] }), err
	})
	if err != nil || class == nil || class.Schema() == nil {
		return nil, err
	}
	return class, nil
}

// EventSchemas returns the events of the ABI.
func (c *ContractClass) EventSchemas(ctx context.Context) ([]EventSchema, error) {
	class, err := c.compiled(ctx)
	if err != nil || class == nil {
		return nil, err
	}
	return convert(class.Events, func(e facts.EventSchema) EventSchema {
		return EventSchema{e.Selector, e.Name, e.Path, fieldSchemas(e.Fields), textOrNil(e.Unsupported), e.Ambiguous}
	}), nil
}

// FunctionSchemas returns the entry points of the ABI.
func (c *ContractClass) FunctionSchemas(ctx context.Context) ([]FunctionSchema, error) {
	class, err := c.compiled(ctx)
	if err != nil || class == nil {
		return nil, err
	}
	return convert(class.Functions, func(f facts.FunctionSchema) FunctionSchema {
		return FunctionSchema{f.Selector, f.Name, f.View, f.L1Handler, fieldSchemas(f.Inputs), fieldSchemas(f.Outputs), textOrNil(f.Unsupported)}
	}), nil
}

// EventSchema is an event of a class.
type EventSchema struct {
	Selector    starknet.Felt
	Name        string
	Path        []string
	Fields      []FieldSchema
	Unsupported *string
	Ambiguous   bool
}

// FunctionSchema is an entry point of a class.
type FunctionSchema struct {
	Selector        starknet.Felt
	Name            string
	View, L1Handler bool
	Inputs, Outputs []FieldSchema
	Unsupported     *string
}

// FieldSchema is a named and typed place of a payload.
type FieldSchema struct {
	Name, Type string
	Source     *Word
}

func fieldSchemas(fields []facts.FieldSchema) []FieldSchema {
	return convert(fields, func(f facts.FieldSchema) FieldSchema { return FieldSchema{f.Name, f.Type, wordOrNil(f.Source)} })
}

// Declaration returns the transaction that declared the class.
func (c *ContractClass) Declaration(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, c.peers, c, "ContractClass.declaration", perhaps((*ContractClass).DeclaredAtTx), c.transactionsByHash)
}

// Contracts returns the contracts that the class became the class of.
func (c *ContractClass) Contracts(ctx context.Context, first *int, after *string) (*ClassUseConnection, error) {
	return connect(ctx, c, first, after, c.usesOfClasses, nil)
}

// ClassUse is a contract that a class became the class of.
type ClassUse struct {
	part
	among[*ClassUse]
	use chain.ClassUse
}

// Address returns the address of the contract.
func (u *ClassUse) Address() starknet.Felt { return u.use.Contract }

// BlockNumber tells from which block on.
func (u *ClassUse) BlockNumber() uint64 { return u.use.Block }

// Origin tells how that became known.
func (u *ClassUse) Origin() Word { return Word(u.use.Origin) }

// Current tells whether the contract has the class still.
func (u *ClassUse) Current() bool { return u.use.Current }

// Contract returns the contract.
func (u *ClassUse) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, u.peers, u, "ClassUse.contract", present((*ClassUse).Address), u.contracts)
}

// ClassUseConnection is a page of the contracts of a class.
type ClassUseConnection = Connection[*ClassUse]

// ClassUseEdge is a contract of a class in a list.
type ClassUseEdge = Edge[*ClassUse]

// usesOfClasses reads a page of each class' contracts.
func (p part) usesOfClasses(ctx context.Context, classes []*ContractClass, request domain.PageRequest) ([]slice[*ClassUse], error) {
	pages, err := p.h.Classes.Uses(ctx, p.chain, convert(classes, (*ContractClass).ClassHash), request)
	if err != nil {
		return nil, err
	}
	return slicesOf(pages, chain.ClassUse.Position, func(_ int, use chain.ClassUse) *ClassUse { return &ClassUse{part: p, use: use} }), nil
}

// classes reads classes; nil stands for one that no visible block names.
func (p part) classes(ctx context.Context, hashes []starknet.Felt) ([]*ContractClass, error) {
	found, err := p.h.Classes.Of(ctx, p.chain, hashes)
	if err != nil {
		return nil, err
	}
	classes := make([]*ContractClass, len(found))
	for i, class := range found {
		if class != nil {
			classes[i] = &ContractClass{part: p, facts: class}
		}
	}
	return together(classes), nil
}

// Class returns a class by its hash.
func (r queryResolver) Class(ctx context.Context, id domain.Chain, hash starknet.Felt) (*ContractClass, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	return single(p.classes(ctx, []starknet.Felt{hash}))(domain.Errorf(domain.CodeNotFound, "no indexed block names the class %s", hash))
}
