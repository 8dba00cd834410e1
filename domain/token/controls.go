package token

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ControlStatus says whether a kind of control over a token exists.
type ControlStatus string

// The statuses.
const (
	ControlPresent   ControlStatus = "present"   // the class has it, and no event shows that it was renounced
	ControlRenounced ControlStatus = "renounced" // it was given up
	ControlAbsent    ControlStatus = "absent"    // the class has no way to it
	ControlUnknown   ControlStatus = "unknown"   // the index cannot tell
)

// Control is one kind of control over a token.
type Control struct {
	Status ControlStatus
	Actor  *starknet.Felt // the account that has it, if exactly one is known
}

// ControlEvidence is an event or a deployment from which a snapshot is derived.
type ControlEvidence struct {
	Kind   string // the event's name in snake case, or deployed
	Block  uint64
	TxHash starknet.Felt
}

// The reason codes of controls.
const (
	ReasonControlsIndexed   = "indexed"           // from the token's whole history
	ReasonControlsPartial   = "partial_history"   // the token is older than the index
	ReasonControlsTruncated = "history_truncated" // there are more events of roles than are looked at
	ReasonControlsNoClass   = "class_unavailable" // the class in force, or its ABI, is not known
)

// ControlSnapshot is the controls over a token as of a block.
type ControlSnapshot struct {
	Supply, Transfer, Metadata, Upgrade Control
	Evidence                            []ControlEvidence
	Block                               uint64
	At                                  time.Time // of the status that it rests on
}

// Controls is the known controls over a token.
type Controls struct {
	Token    starknet.Felt
	Reason   string
	Snapshot *ControlSnapshot // nil when the class in force is not known
}

// ControlStore reads the events and classes from which controls are derived.
type ControlStore interface {
	// EventsBySelector returns events of each contract whose first key is one of
	// the selectors, newest first: of each selector at least limit+1 where there
	// are as many.
	EventsBySelector(ctx context.Context, c domain.Chain, contracts, selectors []starknet.Felt, page domain.PageRequest) ([][]event.Row, error)
}

// ControlsReader derives the controls over tokens from indexed events and
// classes.
type ControlsReader struct {
	store           ControlStore
	contracts       *chain.Contracts
	classes         *chain.CompiledClasses
	implementations *chain.Implementations
	statuses        *chain.Statuses
}

// NewControlsReader makes the service.
func NewControlsReader(store ControlStore, contracts *chain.Contracts, classes *chain.CompiledClasses, implementations *chain.Implementations, statuses *chain.Statuses) *ControlsReader {
	return &ControlsReader{store, contracts, classes, implementations, statuses}
}

// Of returns the controls over tokens, in order, nil for an unknown token.
func (r *ControlsReader) Of(ctx context.Context, c domain.Chain, tokens []starknet.Felt) ([]*Controls, error) {
	contracts, err := r.contracts.Of(ctx, c, tokens)
	if err != nil {
		return nil, err
	}
	statuses, err := r.statuses.Of(ctx, []domain.Chain{c})
	if err != nil {
		return nil, err
	}
	codes, err := r.codesOf(ctx, c, contracts, statuses[0].Head.Coverage)
	if err != nil {
		return nil, err
	}
	newest, err := r.store.EventsBySelector(ctx, c, tokens, newestOf, domain.PageRequest{Limit: 1})
	if err != nil {
		return nil, err
	}
	roles, err := r.store.EventsBySelector(ctx, c, tokens, rolesOf, domain.PageRequest{Limit: maxRoleEvents})
	if err != nil {
		return nil, err
	}
	list := make([]*Controls, len(tokens))
	for i, contract := range contracts {
		if contract != nil && contract.Token != nil {
			list[i] = controlsOf(contract, codes[i], history{newest: newest[i], roles: roles[i]}, statuses[0])
		}
	}
	return list, nil
}

// At returns the controls over one token. An address that is not known as a
// token is not_found.
func (r *ControlsReader) At(ctx context.Context, c domain.Chain, address starknet.Felt) (*Controls, error) {
	list, err := r.Of(ctx, c, []starknet.Felt{address})
	if err != nil {
		return nil, err
	}
	if list[0] == nil {
		return nil, Unknown(address)
	}
	return list[0], nil
}

// codesOf returns what the contracts execute after the newest visible block.
func (r *ControlsReader) codesOf(ctx context.Context, c domain.Chain, contracts []*chain.Contract, seen *chain.Coverage) ([]facts.Code, error) {
	codes := make([]facts.Code, len(contracts))
	if seen == nil {
		return codes, nil
	}
	hashes, places := make([]starknet.Felt, 0, len(contracts)), make([]int, 0, len(contracts))
	for i, contract := range contracts {
		if contract == nil {
			continue
		}
		if class, _ := contract.Class(); class != nil {
			hashes, places = append(hashes, class.Hash), append(places, i)
		}
	}
	classes, err := r.classes.Of(ctx, c, hashes)
	if err != nil {
		return nil, err
	}
	at, runtimes := make([]chain.ContractAt, len(hashes)), make([]facts.Runtime, len(hashes))
	for i, hash := range hashes {
		at[i] = chain.ContractAt{Address: contracts[places[i]].Address, Block: seen.Last}
		runtimes[i] = facts.Runtime{Before: classes[hash], After: classes[hash]}
	}
	if err := r.implementations.Fill(ctx, c, at, runtimes); err != nil {
		return nil, err
	}
	for i, runtime := range runtimes {
		codes[places[i]] = facts.Code{Class: runtime.After, Implementation: runtime.ImplementationAfter}
	}
	return codes, nil
}
