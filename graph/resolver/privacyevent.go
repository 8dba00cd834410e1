package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/graph/cohort"
	privacygraph "astrolabe/graph/privacy"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// PrivacyPoolEvent is an event that a privacy pool emitted.
type PrivacyPoolEvent struct {
	facts        *privacy.Event
	Event        *Event
	PublicFields *PrivacyPoolPublicFields
}

// EventName returns the name of the event's variant.
func (e *PrivacyPoolEvent) EventName() scalar.Enum { return scalar.Enum(e.facts.Variant) }

// SourceTier reports whether a reorg can still remove the event from the index.
func (e *PrivacyPoolEvent) SourceTier() scalar.Enum { return scalar.Enum(e.facts.Tier) }

// PrivacyFees returns the proven fees that belong to the event.
func (e *PrivacyPoolEvent) PrivacyFees() []privacygraph.Fee {
	return convert(e.facts.Fees, privacygraph.FeeOf)
}

// PrivacyPoolPublicFields are what the public part of an event says.
type PrivacyPoolPublicFields struct {
	onChain
	membership[*PrivacyPoolPublicFields]
	public privacy.PublicFields
}

// Visibility returns how much the event makes public.
func (f *PrivacyPoolPublicFields) Visibility() scalar.Enum { return scalar.Enum(f.public.Visibility) }

// ActorAddress returns the account that deposited or set a viewing key.
func (f *PrivacyPoolPublicFields) ActorAddress() *starknet.Felt { return f.public.Actor }

// ToAddress returns the recipient, the invoked contract or the new fee
// collector.
func (f *PrivacyPoolPublicFields) ToAddress() *starknet.Felt { return f.public.To }

// TokenAddress returns the address of the token.
func (f *PrivacyPoolPublicFields) TokenAddress() *starknet.Felt {
	if f.public.Token == nil {
		return nil
	}
	return &f.public.Token.Address
}

// TokenSymbol returns the self-declared symbol of the token.
func (f *PrivacyPoolPublicFields) TokenSymbol() *string {
	if f.public.Token == nil {
		return nil
	}
	return f.public.Token.Metadata.Symbol
}

// TokenName returns the self-declared name of the token.
func (f *PrivacyPoolPublicFields) TokenName() *string {
	if f.public.Token == nil {
		return nil
	}
	return f.public.Token.Metadata.Name
}

// TokenDecimals returns the self-declared number of decimals.
func (f *PrivacyPoolPublicFields) TokenDecimals() *int {
	if f.public.Token == nil {
		return nil
	}
	return intOrNil(f.public.Token.Metadata.Decimals)
}

// AmountRaw returns the amount that flowed, or the new fee.
func (f *PrivacyPoolPublicFields) AmountRaw() *domain.Amount { return amountOrNil(f.public.Amount) }

// NoteID returns the note that was created or funded.
func (f *PrivacyPoolPublicFields) NoteID() *starknet.Felt { return f.public.NoteID }

// Nullifier returns the nullifier of the note that was used.
func (f *PrivacyPoolPublicFields) Nullifier() *starknet.Felt { return f.public.Nullifier }

// AuditorPublicKey returns the auditor's key.
func (f *PrivacyPoolPublicFields) AuditorPublicKey() *starknet.Felt { return f.public.AuditorKey }

// Actor returns the account that deposited or set a viewing key.
func (f *PrivacyPoolPublicFields) Actor(context.Context) (*Address, error) {
	return toAddress(f, "PrivacyPoolPublicFields.actor", optionalKey((*PrivacyPoolPublicFields).ActorAddress))
}

// To returns the recipient, the invoked contract or the new fee collector.
func (f *PrivacyPoolPublicFields) To(context.Context) (*Address, error) {
	return toAddress(f, "PrivacyPoolPublicFields.to", optionalKey((*PrivacyPoolPublicFields).ToAddress))
}

// Token returns the token of the event.
func (f *PrivacyPoolPublicFields) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, f, "PrivacyPoolPublicFields.token", optionalKey((*PrivacyPoolPublicFields).TokenAddress), f.tokens())
}

// PrivacyPoolEventConnection is a page of events of privacy pools.
type PrivacyPoolEventConnection struct {
	Connection[*PrivacyPoolEvent]
	EventDecodingDegraded bool
}

// PrivacyPoolEventEdge is an edge of a connection with one event and its cursor.
type PrivacyPoolEventEdge = Edge[*PrivacyPoolEvent]

// Events returns every event that a pool emitted, newest first. The events form
// one cohort, and so do their public fields.
func (p *PrivacyPool) Events(ctx context.Context, event *scalar.Enum, first *int, after *string) (*PrivacyPoolEventConnection, error) {
	l, err := p.heavyList(ctx, first, after)
	if err != nil {
		return nil, err
	}
	var name string
	if event != nil {
		name = string(*event)
	}
	page, degraded, err := p.resolver.PrivacyEvents.List(ctx, p.chain, name, l.request)
	if err != nil {
		return nil, err
	}
	var events []*Event
	var fields []*PrivacyPoolPublicFields
	list := sliceOf(page, func(e privacy.Event) domain.Position { return e.Position() }, func(row privacy.Event) *PrivacyPoolEvent {
		e := &PrivacyPoolEvent{
			facts: &row, Event: &Event{onChain: p.onChain, row: &row.Row},
			PublicFields: &PrivacyPoolPublicFields{onChain: p.onChain, public: row.PublicFields()},
		}
		events, fields = append(events, e.Event), append(fields, e.PublicFields)
		return e
	})
	cache := new(cohort.Cache)
	joinCohort(cache, events)
	joinCohort(cache, fields)
	return &PrivacyPoolEventConnection{Connection[*PrivacyPoolEvent]{slice: list, list: l}, degraded}, nil
}

// PrivacyPoolNote is the event by which a note was created or used.
type PrivacyPoolNote struct {
	onChain
	membership[*PrivacyPoolNote]
	note *privacy.Note
}

// BlockNumber returns the number of the block of the event.
func (n *PrivacyPoolNote) BlockNumber() uint64 { return n.note.At.Block }

// TxIndex returns the index of the transaction in its block.
func (n *PrivacyPoolNote) TxIndex() int { return n.note.At.Tx }

// LogIndex returns the index of the event in its transaction.
func (n *PrivacyPoolNote) LogIndex() int { return n.note.At.Log }

// TxHash returns the hash of the transaction of the event.
func (n *PrivacyPoolNote) TxHash() starknet.Felt { return n.note.TxHash }

// PoolContractAddress returns the address of the pool.
func (n *PrivacyPoolNote) PoolContractAddress() starknet.Felt { return n.note.Pool }

// EventName returns the name of the event.
func (n *PrivacyPoolNote) EventName() scalar.Enum { return scalar.Enum(n.note.Variant) }

// SourceTier reports whether a reorg can still remove the event from the index.
func (n *PrivacyPoolNote) SourceTier() scalar.Enum { return scalar.Enum(n.note.Tier) }

// CommitmentHash returns the ID of a note that was created.
func (n *PrivacyPoolNote) CommitmentHash() starknet.Felt { return n.note.Hash }

// NullifierHash returns the nullifier of a note that was used.
func (n *PrivacyPoolNote) NullifierHash() starknet.Felt { return n.note.Hash }

// TokenAddress returns the address of the token, if the event states it.
func (n *PrivacyPoolNote) TokenAddress() *starknet.Felt { return n.note.Token }

// AmountRaw returns the amount, if the event states it.
func (n *PrivacyPoolNote) AmountRaw() *domain.Amount { return amountOrNil(n.note.Amount) }

// Block returns the block of the event.
func (n *PrivacyPoolNote) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, n, "PrivacyPoolNote.block", requiredKey((*PrivacyPoolNote).BlockNumber), n.blocksByNumber())
}

// Transaction returns the transaction of the event.
func (n *PrivacyPoolNote) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, n, "PrivacyPoolNote.transaction", requiredKey((*PrivacyPoolNote).TxHash), n.transactionsByHash())
}

// Pool returns the pool that emitted the event.
func (n *PrivacyPoolNote) Pool(ctx context.Context) (*Contract, error) {
	return toOne(ctx, n, "PrivacyPoolNote.pool", requiredKey((*PrivacyPoolNote).PoolContractAddress), n.contracts())
}

// Token returns the token, if the event states it.
func (n *PrivacyPoolNote) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, n, "PrivacyPoolNote.token", optionalKey((*PrivacyPoolNote).TokenAddress), n.tokens())
}

type (
	// PrivacyPoolCommitmentConnection is a page of notes that were created.
	PrivacyPoolCommitmentConnection = Connection[*PrivacyPoolNote]
	// PrivacyPoolCommitmentEdge is an edge of a connection with one note and its
	// cursor.
	PrivacyPoolCommitmentEdge = Edge[*PrivacyPoolNote]
	// PrivacyPoolNullifierConnection is a page of notes that were used.
	PrivacyPoolNullifierConnection = Connection[*PrivacyPoolNote]
	// PrivacyPoolNullifierEdge is an edge of a connection with one note and its
	// cursor.
	PrivacyPoolNullifierEdge = Edge[*PrivacyPoolNote]
)

// Commitments returns the notes that were created, newest first.
func (p *PrivacyPool) Commitments(ctx context.Context, pool *starknet.Felt, first *int, after *string) (*PrivacyPoolCommitmentConnection, error) {
	return p.notes(ctx, p.resolver.PrivacyEvents.Commitments, pool, first, after)
}

// Nullifiers returns the notes that were used, newest first.
func (p *PrivacyPool) Nullifiers(ctx context.Context, pool *starknet.Felt, first *int, after *string) (*PrivacyPoolNullifierConnection, error) {
	return p.notes(ctx, p.resolver.PrivacyEvents.Nullifiers, pool, first, after)
}

func (p *PrivacyPool) notes(ctx context.Context, read func(context.Context, domain.Chain, *starknet.Felt, domain.PageRequest) (domain.Page[privacy.Note], error),
	pool *starknet.Felt, first *int, after *string) (*Connection[*PrivacyPoolNote], error) {
	l, err := p.heavyList(ctx, first, after)
	if err != nil {
		return nil, err
	}
	page, err := read(ctx, p.chain, pool, l.request)
	if err != nil {
		return nil, err
	}
	notes := slicesOf(new(cohort.Cache), []domain.Page[privacy.Note]{page}, privacy.Note.Position, func(_ int, row privacy.Note) *PrivacyPoolNote {
		return &PrivacyPoolNote{onChain: p.onChain, note: &row}
	})[0]
	return &Connection[*PrivacyPoolNote]{slice: notes, list: l}, nil
}
