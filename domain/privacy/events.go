package privacy

import (
	"context"
	"regexp"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// EventStore reads the stored events of pools. It leaves their decoding, tier
// and fees open.
type EventStore interface {
	// PoolEvents returns the newest events, newest first, after a position of
	// block, transaction and log: at least limit+1 where there are as many.
	// With a variant only events of that variant. The evidence is about all
	// transactions of these events.
	PoolEvents(ctx context.Context, c domain.Chain, variant *facts.PoolVariant, page domain.PageRequest) ([]Event, FeeEvidence, error)
	// Commitments returns the newest events that created notes, newest first,
	// after such a position: at least limit+1 where there are as many. With a
	// pool only those of that pool.
	Commitments(ctx context.Context, c domain.Chain, pool *starknet.Felt, page domain.PageRequest) ([]Note, error)
	// Nullifiers does the same for events that used notes.
	Nullifiers(ctx context.Context, c domain.Chain, pool *starknet.Felt, page domain.PageRequest) ([]Note, error)
}

// FeeEvidence is what Fees needs to know about transactions: their transfers of
// STRK, the first event of each pool after each transfer, and the settings in
// force at each.
type FeeEvidence struct {
	Settings  []FeeSetting
	Transfers []FeeTransfer
	Events    []PoolPlace
}

// Events reads the events of pools.
type Events struct {
	store    EventStore
	decoder  *event.Events
	statuses *chain.Statuses
}

// NewEvents makes the service.
func NewEvents(store EventStore, decoder *event.Events, statuses *chain.Statuses) *Events {
	return &Events{store, decoder, statuses}
}

// NamePattern is the form of an event's name.
const NamePattern = "^[a-z0-9_]{1,32}$"

var namePattern = regexp.MustCompile(NamePattern)

// EventArgument is the name of the filter by name.
const EventArgument domain.Argument = "event"

// List returns a page of the events of all pools, newest first. With a name it
// has only events of that name, and none if no event has it; text that cannot be
// a name is invalid_request. It is degraded if the attribution lookup failed:
// then no event has typed fields, which says nothing about the events.
func (s *Events) List(ctx context.Context, c domain.Chain, name string, page domain.PageRequest) (list domain.Page[Event], degraded bool, err error) {
	var variant *facts.PoolVariant
	if name != "" {
		if !namePattern.MatchString(name) {
			return list, false, domain.Errorf(domain.CodeInvalidRequest, "%s must have 1 to 32 characters of a-z, 0-9 and _, got %s.", EventArgument, domain.Quote(name))
		}
		variant = new(facts.PoolVariant(name))
		if !slices.Contains(facts.PoolVariants, *variant) {
			return list, false, nil
		}
	}
	events, evidence, err := s.store.PoolEvents(ctx, c, variant, page)
	if err != nil {
		return list, false, err
	}
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return list, false, err
	}
	list = domain.CutPage(events, page.Limit, func(e Event) domain.Position { return e.Position() })
	if degraded, err = s.decode(ctx, c, list.Items); err != nil {
		return list, false, err
	}
	fees := Fees(evidence.Settings, evidence.Transfers, evidence.Events)
	for i := range list.Items {
		e := &list.Items[i]
		e.Tier, e.Fees = horizon.Tier(e.Block), fees[Place{Block: e.Block, Tx: e.Tx, Log: e.Log}]
	}
	return list, degraded, nil
}

// decode decodes events in place.
func (s *Events) decode(ctx context.Context, c domain.Chain, events []Event) (degraded bool, err error) {
	rows := make([]event.Row, len(events))
	for i := range events {
		rows[i] = events[i].Row
	}
	degraded, err = s.decoder.Decode(ctx, c, rows)
	for i := range events {
		events[i].Decoding = named(rows[i].Decoding, events[i].Variant, events[i].Reading)
	}
	return degraded, err
}
