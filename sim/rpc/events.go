package rpc

import (
	"fmt"
	"slices"

	"astrolabe/sim/chain"
	"astrolabe/starknet"
)

// Limits of event queries.
const (
	maxChunk = 1024
	maxKeys  = 16   // positions of a key filter
	maxScan  = 4096 // blocks per query; the next query continues
)

// eventFilter selects events by emitter and keys.
type eventFilter struct {
	Address oneOrMany         `json:"address"`
	Keys    [][]starknet.Felt `json:"keys"`
}

func (f *eventFilter) check() error {
	if len(f.Keys) > maxKeys {
		return errTooManyKeys
	}
	return nil
}

// matches reports whether an event has one of the wanted keys at every
// position.
func (f *eventFilter) matches(e *starknet.Event) bool {
	if len(f.Address) > 0 && !slices.Contains(f.Address, e.FromAddress) {
		return false
	}
	for i, wanted := range f.Keys {
		if len(wanted) == 0 {
			continue
		}
		if i >= len(e.Keys) || !slices.Contains(wanted, e.Keys[i]) {
			return false
		}
	}
	return true
}

// eventQuery is the argument of getEvents.
type eventQuery struct {
	eventFilter
	From  *blockID `json:"from_block"`
	To    *blockID `json:"to_block"`
	Token string   `json:"continuation_token"`
	Chunk int      `json:"chunk_size"`
}

// cursor is the position of the first event that was not returned yet.
type cursor struct {
	block, index, event uint64
}

func (c cursor) String() string { return fmt.Sprintf("%d-%d-%d", c.block, c.index, c.event) }

func parseCursor(text string) (c cursor, err error) {
	if text == "" {
		return c, nil
	}
	_, err = fmt.Sscanf(text, "%d-%d-%d", &c.block, &c.index, &c.event)
	if err != nil || c.String() != text {
		return c, errContinuation
	}
	return c, nil
}

// eventsChunk is a page of events.
type eventsChunk struct {
	Events []starknet.EmittedEvent `json:"events"`
	Token  string                  `json:"continuation_token,omitempty"`
}

func (s *Server) events(method string, p params) (any, error) {
	var q eventQuery
	if err := required(p, 0, &q); err != nil {
		return nil, err
	}
	switch {
	case q.Chunk < 1:
		return nil, invalidParams("chunk_size must be at least 1")
	case q.Chunk > maxChunk:
		return nil, errPageSize
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	start, err := parseCursor(q.Token)
	if err != nil {
		return nil, err
	}
	first, last, err := s.eventRange(method, &q)
	if err != nil {
		return nil, err
	}
	if q.Token != "" {
		if start.block < first || start.block > last {
			return nil, errContinuation
		}
		first = start.block
	}
	page := &eventPage{query: &q, start: start}
	page.chunk.Events = []starknet.EmittedEvent{}
	for number := first; number <= last; number++ {
		if number-first == maxScan {
			page.chunk.Token = cursor{block: number}.String()
			break
		}
		b, sealed, err := s.eventBlock(method, number)
		if err != nil {
			return nil, err
		}
		if b == nil || page.add(b, sealed) {
			break
		}
	}
	return page.chunk, nil
}

// eventRange resolves the ends of a query; the pre-confirmed block is one above
// the head.
func (s *Server) eventRange(method string, q *eventQuery) (first, last uint64, err error) {
	head := s.head(method).Header.BlockNumber
	last = head
	for _, end := range []struct {
		id     *blockID
		number *uint64
	}{{q.From, &first}, {q.To, &last}} {
		switch {
		case end.id == nil:
		case end.id.preConfirmed():
			*end.number = head + 1
		case end.id.Number != nil && end.number == &last:
			*end.number = min(*end.id.Number, head)
		default:
			b, err := s.sealed(method, *end.id)
			if err != nil {
				return 0, 0, err
			}
			*end.number = b.Header.BlockNumber
		}
	}
	return first, last, nil
}

func (s *Server) eventBlock(method string, number uint64) (*chain.Block, bool, error) {
	if number > s.head(method).Header.BlockNumber {
		b := s.chain.PreConfirmed()
		if b.Header.BlockNumber != number {
			return nil, false, nil // the head moved; the next query will see it
		}
		return b, false, nil
	}
	b, err := s.chain.Block(number)
	return b, true, err
}

// eventPage collects matching events until the page is full.
type eventPage struct {
	query *eventQuery
	start cursor
	chunk eventsChunk
}

// add collects the events of a block and reports whether the page is full.
func (p *eventPage) add(b *chain.Block, sealed bool) bool {
	for i := range b.Receipts {
		for j := range b.Receipts[i].Events {
			here := cursor{b.Header.BlockNumber, uint64(i), uint64(j)}
			if here.before(p.start) || !p.query.matches(&b.Receipts[i].Events[j]) {
				continue
			}
			if len(p.chunk.Events) == p.query.Chunk {
				p.chunk.Token = here.String()
				return true
			}
			p.chunk.Events = append(p.chunk.Events, emitted(b, i, j, sealed))
		}
	}
	return false
}

func (c cursor) before(d cursor) bool {
	return slices.Compare([]uint64{c.block, c.index, c.event}, []uint64{d.block, d.index, d.event}) < 0
}

func emitted(b *chain.Block, transaction, event int, sealed bool) starknet.EmittedEvent {
	e := starknet.EmittedEvent{
		Event: b.Receipts[transaction].Events[event], BlockNumber: &b.Header.BlockNumber,
		TransactionHash: b.Transactions[transaction].Hash, TransactionIndex: uint64(transaction), EventIndex: uint64(event),
	}
	if sealed {
		e.BlockHash = &b.Header.BlockHash
	}
	return e
}
