package chain

import (
	"context"
	"encoding/binary"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Class is an indexed class.
type Class struct {
	Hash   starknet.Felt
	Sierra bool
	// Known reports whether the ABI of the class is stored; Standard and
	// Account are derived from it.
	Known       bool
	Standard    facts.Standard
	Account     bool
	Declaration *ClassDeclaration // nil when no indexed block declares it
}

// ClassDeclaration is where a class was declared.
type ClassDeclaration struct {
	Block    uint64
	TxHash   *starknet.Felt // nil when no transaction of the block names it
	Compiled *starknet.Felt // nil for a Cairo 0 class
}

// ClassUse is a class that became that of a contract, or was found to be.
type ClassUse struct {
	Contract starknet.Felt
	Block    uint64
	Origin   facts.Origin
	Current  bool // the contract has it still
}

// useOrigins are the origins in the order of a block's uses.
var useOrigins = []facts.Origin{facts.Observed, facts.Deployed, facts.Replaced}

// Position is the place of a use in the list of its class: its block, its
// address in four words and its origin.
func (u ClassUse) Position() domain.Position {
	p := domain.Position{u.Block}
	for i := 0; i < len(u.Contract); i += 8 {
		p = append(p, binary.BigEndian.Uint64(u.Contract[i:]))
	}
	return append(p, uint64(slices.Index(useOrigins, u.Origin)))
}

// ClassIndex reads classes as readers see them.
type ClassIndex interface {
	// VisibleClasses returns the classes in the order of the hashes, nil for one
	// that no visible block declares or uses.
	VisibleClasses(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*Class, error)
	// ClassABIs returns the ABIs as they were declared; nil where there is none.
	ClassABIs(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([][]byte, error)
	// ClassUses returns a page of each class's uses, newest first and by
	// address within a block.
	ClassUses(ctx context.Context, c domain.Chain, hashes []starknet.Felt, page domain.PageRequest) ([]domain.Page[ClassUse], error)
}

// Classes reads classes.
type Classes struct{ store ClassIndex }

// NewClasses makes the service.
func NewClasses(store ClassIndex) *Classes { return &Classes{store} }

// Of returns the classes with the hashes, in their order. One that no visible
// block names is nil.
func (s *Classes) Of(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([]*Class, error) {
	return s.store.VisibleClasses(ctx, c, hashes)
}

// ABIs returns the ABIs of classes as they were declared. One that is not known
// is nil.
func (s *Classes) ABIs(ctx context.Context, c domain.Chain, hashes []starknet.Felt) ([][]byte, error) {
	return s.store.ClassABIs(ctx, c, hashes)
}

// Uses returns a page of the contracts that each class became the class of,
// newest first. A contract that came back to a class is there again.
func (s *Classes) Uses(ctx context.Context, c domain.Chain, hashes []starknet.Felt, page domain.PageRequest) ([]domain.Page[ClassUse], error) {
	return s.store.ClassUses(ctx, c, hashes, page)
}
