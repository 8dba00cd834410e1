package resolver

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// Event is an event that a contract emitted.
type Event struct {
	onChain
	membership[*Event]
	row *event.Row
}

// BlockNumber returns the number of the block of the event.
func (e *Event) BlockNumber() uint64 { return e.row.Block }

// TimestampIso returns the timestamp of the block of the event.
func (e *Event) TimestampIso() time.Time { return e.row.Time() }

// TxHash returns the hash of the transaction of the event.
func (e *Event) TxHash() starknet.Felt { return e.row.TxHash }

// TxIndex returns the index of the transaction in its block.
func (e *Event) TxIndex() int { return e.row.Tx }

// LogIndex returns the index of the event in its transaction.
func (e *Event) LogIndex() int { return e.row.Log }

// Address returns the address of the contract that emitted the event.
func (e *Event) Address() starknet.Felt { return e.row.Address }

// Keys returns the complete key array.
func (e *Event) Keys() []starknet.Felt { return e.row.Keys }

// Topic0 returns the first key.
func (e *Event) Topic0() *starknet.Felt { return e.row.Topic(0) }

// Topic1 returns the second key.
func (e *Event) Topic1() *starknet.Felt { return e.row.Topic(1) }

// Topic2 returns the third key.
func (e *Event) Topic2() *starknet.Felt { return e.row.Topic(2) }

// Topic3 returns the fourth key.
func (e *Event) Topic3() *starknet.Felt { return e.row.Topic(3) }

// Data returns the complete data array.
func (e *Event) Data() []starknet.Felt { return e.row.Data }

// DecodingStatus returns how much of the event is decoded.
func (e *Event) DecodingStatus() scalar.Enum { return scalar.Enum(e.row.Status) }

// EventName returns the event name.
func (e *Event) EventName() *string { return textOrNil(e.row.Name) }

// EventNameSource returns the source of the name.
func (e *Event) EventNameSource() *scalar.Enum { return enumOrNil(e.row.NameSource) }

// DecodedFieldsSource returns the source of the typed fields.
func (e *Event) DecodedFieldsSource() *scalar.Enum { return enumOrNil(e.row.FieldsFrom) }

// DecodedFieldsUnavailableReason returns why there are no typed fields.
func (e *Event) DecodedFieldsUnavailableReason() *scalar.Enum { return enumOrNil(e.row.Unavailable) }

// DecodedFields returns the typed payload. The fields of all events that were
// read together form one cohort.
func (e *Event) DecodedFields(context.Context) ([]*DecodedField, error) {
	if e.row.Status != event.Decoded {
		return nil, nil
	}
	return cohort.Once(e.peers, cohort.Kind{Name: "Event.decodedFields"}, func() map[*Event][]*DecodedField {
		var all []*DecodedField
		lists := make(map[*Event][]*DecodedField, len(e.peers.Members))
		for _, e := range e.peers.Members {
			lists[e] = e.newFields(e.row.Fields)
			all = append(all, lists[e]...)
		}
		joinCohort(e.peers.Cache, all)
		return lists
	})[e], nil
}

// Block returns the block of the event.
func (e *Event) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, e, "Event.block", requiredKey((*Event).BlockNumber), e.blocksByNumber())
}

// Transaction returns the transaction of the event.
func (e *Event) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, e, "Event.transaction", requiredKey((*Event).TxHash), e.transactionsByHash())
}

// Contract returns the contract that emitted the event.
func (e *Event) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, e, "Event.contract", requiredKey((*Event).Address), e.contracts())
}

// EventConnection is a page of events.
type EventConnection struct {
	Connection[*Event]
	EventDecodingDegraded bool
	RangeCoverage         *RangeCoverage
}

// EventEdge is an edge of a connection with one event and its cursor.
type EventEdge = Edge[*Event]

// eventSlice is a page of events and whether their decoding is degraded.
type eventSlice struct {
	slice[*Event]
	degraded bool
}

func (s eventSlice) connection(l *listing, count func(context.Context) (total, error)) *EventConnection {
	return &EventConnection{Connection: Connection[*Event]{slice: s.slice, list: l, count: count}, EventDecodingDegraded: s.degraded}
}

// eventPage is a page of rows and whether their decoding is degraded.
type eventPage struct {
	coveredPage[event.Row]
	degraded bool
}

type eventPager[K comparable] = pager[K, eventPage, eventSlice]

// eventsOf pages through the events of each parent.
func eventsOf[K comparable](on onChain, service func(context.Context, domain.Chain, []K, domain.PageRequest) ([]eventPage, error)) eventPager[K] {
	return eventPager[K]{pagesOf(on, service), func(b *cohort.Batch[K, eventPage]) []eventSlice { return on.eventSlices(b.Cache, b.Values) }}
}

// eventPages makes pages without coverage.
func eventPages(pages []domain.Page[event.Row], degraded bool) []eventPage {
	return convert(withoutCoverage(pages), func(p coveredPage[event.Row]) eventPage { return eventPage{p, degraded} })
}

// eventSlices makes one cohort of the events of several pages.
func (on onChain) eventSlices(cache *cohort.Cache, pages []eventPage) []eventSlice {
	list := coveredSlices(cache, convert(pages, func(p eventPage) coveredPage[event.Row] { return p.coveredPage }), event.Row.Position,
		func(row event.Row) *Event { return &Event{onChain: on, row: &row} })
	slices := make([]eventSlice, len(pages))
	for i, page := range pages {
		slices[i] = eventSlice{list[i], page.degraded}
	}
	return slices
}

// eventsOfTransactions pages through each transaction's events. They are read
// by position and checked against the transaction's hash, because after a reorg
// another transaction may have that position.
func (on onChain) eventsOfTransactions() eventPager[txRef] {
	return eventsOf(on, func(ctx context.Context, c domain.Chain, txs []txRef, page domain.PageRequest) ([]eventPage, error) {
		pages, degraded, err := on.resolver.Events.OfTransactions(ctx, c, places(txs), page)
		if err != nil {
			return nil, err
		}
		for i, page := range pages {
			if len(page.Items) > 0 && page.Items[0].TxHash != txs[i].hash {
				return nil, chain.Replaced()
			}
		}
		return eventPages(pages, degraded), nil
	})
}

// eventsOfBlocks pages through each block's events.
func (on onChain) eventsOfBlocks(blocks *cohort.Cohort[*Block]) eventPager[domain.BlockRef] {
	return eventsOf(on, func(ctx context.Context, c domain.Chain, refs []domain.BlockRef, page domain.PageRequest) ([]eventPage, error) {
		known := factsByRef(blocks)
		pages, degraded, err := on.resolver.Events.OfBlocks(ctx, c, convert(refs, func(ref domain.BlockRef) *chain.Block { return known[ref] }), page)
		return eventPages(pages, degraded), err
	})
}

// eventsOfContracts pages through each contract's events.
func (on onChain) eventsOfContracts(filter event.ContractFilter) eventPager[starknet.Felt] {
	return eventsOf(on, func(ctx context.Context, c domain.Chain, contracts []starknet.Felt, page domain.PageRequest) ([]eventPage, error) {
		found, err := on.resolver.Events.OfContracts(ctx, c, contracts, filter, page)
		if err != nil {
			return nil, err
		}
		return convert(coverPages(found.Pages, found.Coverage), func(p coveredPage[event.Row]) eventPage { return eventPage{p, found.Degraded} }), nil
	})
}

// EventFilter selects events.
type EventFilter struct {
	Addresses          []starknet.Felt
	Keys               [][]starknet.Felt
	FromBlock, ToBlock *uint64
}

func (f EventFilter) filter() (event.Filter, error) {
	filter := event.Filter{Addresses: f.Addresses, From: f.FromBlock, To: f.ToBlock}
	if len(f.Keys) > len(filter.Topics) {
		return filter, domain.Errorf(domain.CodeInvalidRequest, "filter.keys must have at most %d positions, got %d.", len(filter.Topics), len(f.Keys))
	}
	copy(filter.Topics[:], f.Keys)
	return filter, nil
}

// ContractEventFilter selects events of a contract.
type ContractEventFilter struct {
	Selectors          []starknet.Felt
	FromBlock, ToBlock *uint64
}

// Events searches events by keys and contracts, newest first.
func (r *Query) Events(ctx context.Context, id domain.Chain, filter EventFilter, first *int, after *string) (*EventConnection, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	l, err := r.resolver.list(ctx, "", first, after)
	if err != nil {
		return nil, err
	}
	wanted, err := filter.filter()
	if err != nil {
		return nil, err
	}
	if err := r.resolver.Draw(ctx, account.Heavy, 1); err != nil {
		return nil, err
	}
	found, err := r.resolver.Events.Search(ctx, id, account.CallerOf(ctx).Plan, wanted, l.request)
	if err != nil {
		return nil, err
	}
	page := eventPage{coveredPage[event.Row]{found.Page, &found.Coverage}, found.Degraded}
	c := on.eventSlices(new(cohort.Cache), []eventPage{page})[0].connection(l, nil)
	c.RangeCoverage = rangeCoverageOf(found.Range)
	return c, nil
}
