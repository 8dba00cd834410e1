package graph

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/starknet"
)

// Event is an event that a contract has emitted.
type Event struct {
	part
	among[*Event]
	row *event.Row
}

// BlockNumber returns the number of the block.
func (e *Event) BlockNumber() uint64 { return e.row.Block }

// TimestampIso returns when the block was made.
func (e *Event) TimestampIso() time.Time { return e.row.Time() }

// TxHash returns the hash of the transaction.
func (e *Event) TxHash() starknet.Felt { return e.row.TxHash }

// TxIndex returns the index of the transaction in the block.
func (e *Event) TxIndex() int { return e.row.Tx }

// LogIndex returns the index in the transaction.
func (e *Event) LogIndex() int { return e.row.Log }

// Address returns the contract that emitted the event.
func (e *Event) Address() starknet.Felt { return e.row.Address }

// Keys returns the event's keys.
func (e *Event) Keys() []starknet.Felt { return e.row.Keys }

// Topic0 returns the first key.
func (e *Event) Topic0() *starknet.Felt { return e.row.Topic(0) }

// Topic1 returns the second key.
func (e *Event) Topic1() *starknet.Felt { return e.row.Topic(1) }

// Topic2 returns the third key.
func (e *Event) Topic2() *starknet.Felt { return e.row.Topic(2) }

// Topic3 returns the fourth key.
func (e *Event) Topic3() *starknet.Felt { return e.row.Topic(3) }

// Data returns the event's data.
func (e *Event) Data() []starknet.Felt { return e.row.Data }

// DecodingStatus tells how much of the meaning is certain.
func (e *Event) DecodingStatus() Word { return Word(e.row.Status) }

// EventName returns the event's name.
func (e *Event) EventName() *string { return textOrNil(e.row.Name) }

// EventNameSource tells where the name is from.
func (e *Event) EventNameSource() *Word { return wordOrNil(e.row.NameSource) }

// DecodedFieldsSource tells where the types of the fields are from.
func (e *Event) DecodedFieldsSource() *Word { return wordOrNil(e.row.FieldsFrom) }

// DecodedFieldsUnavailableReason tells why there are no fields.
func (e *Event) DecodedFieldsUnavailableReason() *Word { return wordOrNil(e.row.Unavailable) }

// DecodedFields returns the typed payload. The fields of all events that were
// read together form one cohort.
func (e *Event) DecodedFields(ctx context.Context) ([]*DecodedField, error) {
	if e.row.Status != event.Decoded {
		return nil, nil
	}
	return load(ctx, e.peers, edge{field: "Event.decodedFields"}, e, func(_ context.Context, events []*Event) ([][]*DecodedField, error) {
		var all []*DecodedField
		lists := make([][]*DecodedField, len(events))
		for i, e := range events {
			lists[i] = e.newFields(e.row.Fields)
			all = append(all, lists[i]...)
		}
		together(all)
		return lists, nil
	})
}

// Block returns the block.
func (e *Event) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, e.peers, e, "Event.block", present((*Event).BlockNumber), e.blocksByNumber)
}

// Transaction returns the transaction.
func (e *Event) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, e.peers, e, "Event.transaction", present((*Event).TxHash), e.transactionsByHash)
}

// Contract returns the contract that emitted the event.
func (e *Event) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, e.peers, e, "Event.contract", present((*Event).Address), e.contracts)
}

// EventConnection is a page of events.
type EventConnection struct {
	Connection[*Event]
	EventDecodingDegraded bool
	RangeCoverage         *RangeCoverage
}

// EventEdge is an event in a list.
type EventEdge = Edge[*Event]

// eventSlice is a page of events and whether their meaning could be looked up.
type eventSlice struct {
	slice[*Event]
	degraded bool
}

func (s eventSlice) connection(l *listing, count func(context.Context) (total, error)) *EventConnection {
	return &EventConnection{Connection: Connection[*Event]{slice: s.slice, list: l, count: count}, EventDecodingDegraded: s.degraded}
}

// eventSlices makes the pages of several parents.
func (p part) eventSlices(pages []domain.Page[event.Row], degraded bool) []eventSlice {
	list := slicesOf(pages, event.Row.Position, func(_ int, row event.Row) *Event { return &Event{part: p, row: &row} })
	return convert(list, func(s slice[*Event]) eventSlice { return eventSlice{s, degraded} })
}

// eventsOfTransactions reads a page of each transaction's events. They are
// found by their place: what stands there by now must be of the transaction.
func (p part) eventsOfTransactions(ctx context.Context, txs []*Transaction, request domain.PageRequest) ([]eventSlice, error) {
	pages, degraded, err := p.h.Events.OfTransactions(ctx, p.chain, places(txs), request)
	if err != nil {
		return nil, err
	}
	for i, page := range pages {
		if len(page.Items) > 0 && page.Items[0].TxHash != txs[i].line.Hash {
			return nil, chain.Replaced()
		}
	}
	return p.eventSlices(pages, degraded), nil
}

// eventsOfBlocks reads a page of each block's events.
func (p part) eventsOfBlocks(ctx context.Context, blocks []*Block, request domain.PageRequest) ([]eventSlice, error) {
	pages, degraded, err := p.h.Events.OfBlocks(ctx, p.chain, convert(blocks, func(b *Block) *chain.Block { return b.facts }), request)
	if err != nil {
		return nil, err
	}
	return p.eventSlices(pages, degraded), nil
}

// eventsOfContracts reads a page of each contract's events.
func (p part) eventsOfContracts(filter event.ContractFilter) func(context.Context, []*Contract, domain.PageRequest) ([]eventSlice, error) {
	return func(ctx context.Context, contracts []*Contract, request domain.PageRequest) ([]eventSlice, error) {
		found, err := p.h.Events.OfContracts(ctx, p.chain, convert(contracts, (*Contract).Address), filter, request)
		if err != nil {
			return nil, err
		}
		list := p.eventSlices(found.Pages, found.Degraded)
		for i := range list {
			list[i].coverage = coverageOf(found.Coverage)
		}
		return list, nil
	}
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
		return filter, domain.Errorf(domain.CodeInvalidRequest, "keys must have at most %d positions", len(filter.Topics))
	}
	copy(filter.Topics[:], f.Keys)
	return filter, nil
}

// ContractEventFilter narrows the list of a contract's events.
type ContractEventFilter struct {
	Selectors          []starknet.Felt
	FromBlock, ToBlock *uint64
}

// Events searches for events.
func (r queryResolver) Events(ctx context.Context, id domain.Chain, filter EventFilter, first *int, after *string) (*EventConnection, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	l, err := r.h.list(ctx, "", first, after)
	if err != nil {
		return nil, err
	}
	wanted, err := filter.filter()
	if err != nil {
		return nil, err
	}
	found, err := r.h.Events.Search(ctx, id, account.CallerOf(ctx).Plan, wanted, l.request)
	if err != nil {
		return nil, err
	}
	c := p.eventSlices([]domain.Page[event.Row]{found.Page}, found.Degraded)[0].connection(l, nil)
	c.coverage, c.RangeCoverage = coverageOf(found.Coverage), rangeCoverageOf(found.Range)
	return c, nil
}
