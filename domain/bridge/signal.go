package bridge

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Direction is the way that value takes between the layers.
type Direction string

// The directions, seen from L2.
const (
	Inbound  Direction = "inbound"
	Outbound Direction = "outbound"
)

// Confidence is the evidence for a signal.
type Confidence string

// The degrees of confidence.
const (
	MessagePaired Confidence = "message_paired" // the same transaction carries the matching message
	EventOnly     Confidence = "event_only"
)

// Signal is a deposit or withdrawal event of a bridge. Unknown values are nil.
type Signal struct {
	Block     uint64
	Time      time.Time
	Tx        int
	Log       int
	TxHash    starknet.Felt
	Direction Direction
	Protocol  string
	Event     string
	Token     *starknet.Felt
	L1Token   *starknet.Felt
	Account   *starknet.Felt // on L2: who receives or withdraws
	Amount    *starknet.Uint256
	Message   *starknet.Hash256 // the hash of the message that it belongs to

	bridge    starknet.Felt
	recipient *starknet.Felt // on L1, of a withdrawal
}

// Position is the place of a signal in the list of a bridge's.
func (s Signal) Position() domain.Position {
	return domain.Position{s.Block, uint64(s.Tx), uint64(s.Log)}
}

// Confidence returns the evidence for the signal.
func (s *Signal) Confidence() Confidence {
	if s.Message != nil {
		return MessagePaired
	}
	return EventOnly
}

// layout is the layout of a bridge event. Positions count its felts after the
// first key; a negative position is absent.
type layout struct {
	name       string
	direction  Direction
	keys, data int // number of felts; open allows more data
	open       bool
	l1Token    int
	account    int
	recipient  int
	amount     int
}

// layouts are the events of StarkGate's bridges by selector: of those that move
// many tokens, and of the older ones for a single token.
var layouts = bySelector(
	layout{name: "DepositHandled", direction: Inbound, keys: 3, data: 2, l1Token: 0, account: 1, recipient: -1, amount: 2},
	layout{name: "DepositWithMessageHandled", direction: Inbound, keys: 4, data: 3, open: true, l1Token: 1, account: 2, recipient: -1, amount: 3},
	layout{name: "WithdrawInitiated", direction: Outbound, keys: 4, data: 2, l1Token: 0, account: 2, recipient: 1, amount: 3},
	layout{name: "deposit_handled", direction: Inbound, keys: 1, data: 3, l1Token: -1, account: 0, recipient: -1, amount: 1},
	layout{name: "withdraw_initiated", direction: Outbound, keys: 1, data: 4, l1Token: -1, account: 3, recipient: 0, amount: 1},
)

func bySelector(list ...layout) map[starknet.Felt]layout {
	all := make(map[starknet.Felt]layout, len(list))
	for _, l := range list {
		all[starknet.Selector(l.name)] = l
	}
	return all
}

// read makes a signal of a bridge event. Its values stay nil if the payload, or
// the event in the ABI of the class at that block, has another layout.
func (b Bridge) read(row *event.Row, classes facts.Runtime) Signal {
	l := layouts[row.Keys[0]]
	s := Signal{
		Block: row.Block, Time: row.Time(), Tx: row.Tx, Log: row.Log, TxHash: row.TxHash,
		Direction: l.direction, Protocol: b.Protocol, Event: l.name, bridge: b.Address,
	}
	fits := len(row.Keys) == l.keys && (len(row.Data) == l.data || l.open && len(row.Data) > l.data)
	if !fits || contradicts(classes.Before, row) || contradicts(classes.After, row) {
		return s
	}
	felts := append(row.Keys[1:len(row.Keys):len(row.Keys)], row.Data...)
	amount, err := starknet.Uint256FromHalves(felts[l.amount], felts[l.amount+1])
	if err != nil {
		return s
	}
	s.Amount, s.Account = &amount, &felts[l.account]
	if l.recipient >= 0 {
		s.recipient = &felts[l.recipient]
	}
	s.L1Token = b.L1Token
	if l.l1Token >= 0 {
		s.L1Token = &felts[l.l1Token]
	}
	if b.L1Token != nil && *s.L1Token == *b.L1Token {
		s.Token = b.Token
	}
	return s
}

// contradicts reports whether a class declares the event with another layout. A
// class that does not declare it, such as a proxy's, does not contradict.
func contradicts(class *facts.Class, row *event.Row) bool {
	if class == nil || class.Schema() == nil {
		return false
	}
	for _, declared := range class.Events {
		if declared.Selector == row.Keys[0] {
			_, err := class.Schema().DecodeEvent(row.Keys, row.Data)
			return err != nil
		}
	}
	return false
}
