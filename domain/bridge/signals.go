package bridge

import (
	"context"
	"maps"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// ReasonNotRegistered is the reason code of a list for a contract that the
// registry does not know as a bridge: it may be one.
const ReasonNotRegistered = "bridge_not_registered"

// EventStore reads the events of bridges.
type EventStore interface {
	// EventsBySelector returns events of each contract whose first key is one of
	// the selectors, newest first, after a position of block, transaction and
	// log: at least limit+1 where there are as many.
	EventsBySelector(ctx context.Context, c domain.Chain, contracts, selectors []starknet.Felt, page domain.PageRequest) ([][]event.Row, error)
	// Emitters returns the known classes and names of emissions, in order.
	Emitters(ctx context.Context, c domain.Chain, emissions []event.Emission) ([]event.Emitter, error)
}

// MessageStore reads the messages that belong to signals.
type MessageStore interface {
	// MessagesOfTransactions returns all messages of each transaction.
	MessagesOfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace) ([][]chain.Message, error)
}

// Signals reads bridge signals.
type Signals struct {
	events   EventStore
	messages MessageStore
	classes  *chain.CompiledClasses
	statuses *chain.Statuses
}

// NewSignals makes the service.
func NewSignals(events EventStore, messages MessageStore, classes *chain.CompiledClasses, statuses *chain.Statuses) *Signals {
	return &Signals{events, messages, classes, statuses}
}

// List is a page of a contract's signals with its coverage.
type List struct {
	domain.Page[Signal]
	Coverage domain.Coverage
}

// Of returns a page of each contract's signals, newest first. For one that is
// not a known bridge the list is empty and its coverage unavailable.
func (s *Signals) Of(ctx context.Context, c domain.Chain, contracts []starknet.Felt, page domain.PageRequest) ([]List, error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return nil, err
	}
	lists := make([]List, len(contracts))
	var (
		bridges []starknet.Felt
		places  []int // of their lists
	)
	for i, address := range contracts {
		if _, ok := Known(c, address); !ok {
			lists[i].Coverage = domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: ReasonNotRegistered}
			continue
		}
		bridges, places = append(bridges, address), append(places, i)
		lists[i].Coverage = horizon.History()
	}
	found, err := s.events.EventsBySelector(ctx, c, bridges, slices.Collect(maps.Keys(layouts)), page)
	if err != nil {
		return nil, err
	}
	var rows []event.Row
	for i, list := range found {
		cut := domain.CutPage(list, page.Limit, event.Row.Position)
		lists[places[i]].Next = cut.Next
		rows, found[i] = append(rows, cut.Items...), cut.Items
	}
	signals, err := s.read(ctx, c, rows)
	if err != nil {
		return nil, err
	}
	for i := range found {
		n := len(found[i])
		lists[places[i]].Items, signals = signals[:n:n], signals[n:]
	}
	return lists, nil
}

// read makes signals of bridges' events, by the classes in force and with their
// messages.
func (s *Signals) read(ctx context.Context, c domain.Chain, rows []event.Row) ([]Signal, error) {
	emissions := make([]event.Emission, len(rows))
	for i := range rows {
		emissions[i] = event.Emission{Address: rows[i].Address, Block: rows[i].Block, Selector: rows[i].Keys[0]}
	}
	emitters, err := s.events.Emitters(ctx, c, emissions)
	if err != nil {
		return nil, err
	}
	view := facts.HistoryView{Histories: map[starknet.Felt]facts.ClassHistory{}}
	var hashes []starknet.Felt
	for _, emitter := range emitters {
		for _, since := range emitter.Classes {
			hashes = append(hashes, since.Class)
		}
	}
	if view.Classes, err = s.classes.Of(ctx, c, hashes); err != nil {
		return nil, err
	}
	signals := make([]Signal, len(rows))
	for i := range rows {
		address := rows[i].Address
		bridge, _ := Known(c, address)
		view.Block, view.Histories[address] = rows[i].Block, emitters[i].Classes
		signals[i] = bridge.read(&rows[i], view.Runtime(address))
	}
	return signals, s.pair(ctx, c, signals)
}

// pair finds the messages of signals, all of them from one read.
func (s *Signals) pair(ctx context.Context, c domain.Chain, signals []Signal) error {
	var places []chain.TxPlace
	at := map[chain.TxPlace]int{}
	for i := range signals {
		place := signals[i].place()
		if _, asked := at[place]; !asked {
			at[place] = len(places)
			places = append(places, place)
		}
	}
	messages, err := s.messages.MessagesOfTransactions(ctx, c, places)
	if err != nil {
		return err
	}
	for i := range signals {
		signals[i].pair(messages[at[signals[i].place()]])
	}
	return nil
}
