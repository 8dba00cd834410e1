package event

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Store reads events, without decoding.
type Store interface {
	// EventsOfTransactions returns the events of each transaction after a log,
	// in the order of their logs: at least limit+1 where there are as many.
	EventsOfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace, after, limit int) ([][]Row, error)
	// EventsOfBlocks returns the events of each block after a transaction and a
	// log, in their order: at least limit+1 where there are as many, and none
	// of a block that the index does not hold, by its hash.
	EventsOfBlocks(ctx context.Context, c domain.Chain, blocks []domain.BlockRef, afterTx, afterLog, limit int) ([][]Row, error)
	// EventsOfContracts returns the newest events of each contract in a span,
	// newest first: at least limit+1 where there are as many. With selectors
	// only those whose first key is one of them.
	EventsOfContracts(ctx context.Context, c domain.Chain, contracts, selectors []starknet.Felt, span Span, limit int) ([][]Row, error)
	// Emitters returns the known classes and names of emissions, in order.
	Emitters(ctx context.Context, c domain.Chain, emissions []Emission) ([]Emitter, error)

	// SearchEvents returns the newest events of a span that a filter selects,
	// newest first: at least limit+1 where there are as many. It follows the
	// index of the filter's first keys and addresses.
	SearchEvents(ctx context.Context, c domain.Chain, f Filter, span Span, limit int) ([]Row, error)
	// EventsFrom does the same for the oldest events, oldest first.
	EventsFrom(ctx context.Context, c domain.Chain, f Filter, span Span, limit int) ([]Row, error)
	// LastCandidate returns the position down to which a span has about the
	// given number of candidates: events with the filter's first keys and
	// addresses, counted from the newest. It is nil if the span has no more
	// than that.
	LastCandidate(ctx context.Context, c domain.Chain, f Filter, span Span, most int) (*Place, error)
}

// VerifiedClasses answers which classes have a verification record.
type VerifiedClasses interface {
	// Verified returns true for each of the classes that has one.
	Verified(ctx context.Context, c domain.Chain, classes []starknet.Felt) (map[starknet.Felt]bool, error)
}

// Services are the services that decode events.
type Services struct {
	Classes         *chain.CompiledClasses
	Implementations *chain.Implementations
	Verified        VerifiedClasses
	Statuses        *chain.Statuses
}

// Events answers which events there are.
type Events struct {
	store           Store
	covered         CertificateStore
	classes         *chain.CompiledClasses
	implementations *chain.Implementations
	verified        VerifiedClasses
	statuses        *chain.Statuses
	certificates    *certificates
	candidates      int // that one step of a search looks at
}

// candidates is how many events a search looks at in one step.
const candidates = 20_000

// NewEvents makes the service. It caches certificates for freshFor.
func NewEvents(store Store, covered CertificateStore, s Services, freshFor time.Duration) *Events {
	return &Events{
		store: store, covered: covered, classes: s.Classes, implementations: s.Implementations, verified: s.Verified, statuses: s.Statuses,
		certificates: newCertificates(covered, freshFor), candidates: candidates,
	}
}

// OfTransactions returns a page of the events of each transaction, in log
// order. It is degraded if the attribution lookup failed: then no event has
// attribution, which says nothing about the events.
func (s *Events) OfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace, page domain.PageRequest) (pages []domain.Page[Row], degraded bool, err error) {
	after := -1
	if len(page.After) == 3 {
		after = int(page.After[2])
	}
	lists, err := s.store.EventsOfTransactions(ctx, c, places, after, page.Limit)
	if err != nil {
		return nil, false, err
	}
	return s.pages(ctx, c, lists, page.Limit)
}

// Page cuts and decodes a page of events that the caller read together with
// their attribution, as OfTransactions does.
func (s *Events) Page(ctx context.Context, c domain.Chain, rows []Row, limit int, known Attribution) (page domain.Page[Row], degraded bool, err error) {
	page = domain.CutPage(rows, limit, Row.Position)
	degraded, err = s.attribute(ctx, c, known.emitters, page.Items)
	return page, degraded, err
}

// OfBlocks does the same for blocks. One that was replaced since it was read is
// service_unavailable.
func (s *Events) OfBlocks(ctx context.Context, c domain.Chain, blocks []*chain.Block, page domain.PageRequest) (pages []domain.Page[Row], degraded bool, err error) {
	afterTx, afterLog := -1, -1
	if len(page.After) == 3 {
		afterTx, afterLog = int(page.After[1]), int(page.After[2])
	}
	refs := make([]domain.BlockRef, len(blocks))
	for i, block := range blocks {
		refs[i] = block.Ref()
	}
	lists, err := s.store.EventsOfBlocks(ctx, c, refs, afterTx, afterLog, page.Limit)
	if err != nil {
		return nil, false, err
	}
	for i, rows := range lists {
		if len(rows) == 0 && blocks[i].Events > 0 && page.After == nil {
			return nil, false, chain.Replaced()
		}
	}
	return s.pages(ctx, c, lists, page.Limit)
}

// Decode decodes events that the caller read, in place, as OfTransactions does.
func (s *Events) Decode(ctx context.Context, c domain.Chain, rows []Row) (degraded bool, err error) {
	return s.attribute(ctx, c, s.store.Emitters, rows)
}

// pages cuts lists to pages and decodes their events.
func (s *Events) pages(ctx context.Context, c domain.Chain, lists [][]Row, limit int) (pages []domain.Page[Row], degraded bool, err error) {
	pages = make([]domain.Page[Row], len(lists))
	items := make([][]Row, len(lists))
	for i, rows := range lists {
		pages[i] = domain.CutPage(rows, limit, Row.Position)
		items[i] = pages[i].Items
	}
	degraded, err = s.attribute(ctx, c, s.store.Emitters, items...)
	return pages, degraded, err
}
