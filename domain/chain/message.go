package chain

import (
	"context"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// MessageStatus is the status of a message on L2.
type MessageStatus string

// The statuses of messages.
const (
	MessageOnL2     MessageStatus = "accepted_on_l2"
	MessageOnL1     MessageStatus = "accepted_on_l1"
	MessageReverted MessageStatus = "reverted" // its handler failed: it was consumed without effect
)

// Message is a cross-layer message with its finality.
type Message struct {
	Block    uint64
	Time     time.Time
	TxHash   starknet.Felt
	Reverted bool // the transaction that handles it failed
	facts.Message

	// Status and Tier follow from how far the chain has come.
	Status MessageStatus
	Tier   Tier
}

// ID names the message beyond doubt. Its hash does not: from L2 to L1 the same
// hash can occur many times.
func (m *Message) ID() string {
	return fmt.Sprintf("%s:%s:%d", m.TxHash, m.Direction, m.Index)
}

// Position is the place of a message in every list of messages.
func (m Message) Position() domain.Position {
	toL1 := uint64(0)
	if m.Direction == facts.L2ToL1 {
		toL1 = 1
	}
	return domain.Position{m.Block, uint64(m.TxIndex), toL1, uint64(m.Index)}
}

// Contract is the contract on L2 that handles or sends the message.
func (m *Message) Contract() starknet.Felt {
	if m.Direction == facts.L1ToL2 {
		return m.To
	}
	return m.From
}

// L1Contract is the contract on L1 that sends or may consume the message.
func (m *Message) L1Contract() starknet.Felt {
	if m.Direction == facts.L1ToL2 {
		return m.From
	}
	return m.To
}

// MessageFilter selects messages; unset fields select all.
type MessageFilter struct {
	Direction facts.Direction
	Tx        *starknet.Felt
	Hash      *starknet.Hash256
}

// MessageStore reads messages. Pages are newest first and ordered by block,
// transaction, direction and index; positions are these four.
type MessageStore interface {
	// Messages returns a page of all messages.
	Messages(ctx context.Context, c domain.Chain, filter MessageFilter, page domain.PageRequest) (domain.Page[Message], error)
	// MessagesOfContracts returns such a page for each contract on L2.
	MessagesOfContracts(ctx context.Context, c domain.Chain, contracts []starknet.Felt, filter MessageFilter, page domain.PageRequest) ([]domain.Page[Message], error)
	// MessagesOfTransactions returns all messages of each transaction, the
	// oldest first.
	MessagesOfTransactions(ctx context.Context, c domain.Chain, places []TxPlace) ([][]Message, error)
}

// Messages reads cross-layer messages.
type Messages struct {
	store    MessageStore
	statuses *Statuses
}

// NewMessages makes the service.
func NewMessages(store MessageStore, statuses *Statuses) *Messages {
	return &Messages{store, statuses}
}

// All returns a page of a chain's messages, newest first, and how much of its
// history they come from.
func (s *Messages) All(ctx context.Context, c domain.Chain, filter MessageFilter, page domain.PageRequest) (domain.Page[Message], domain.Coverage, error) {
	list, err := s.store.Messages(ctx, c, filter, page)
	if err != nil {
		return domain.Page[Message]{}, domain.Coverage{}, err
	}
	coverage, err := s.stamp(ctx, c, list.Items)
	return list, coverage, err
}

// OfContracts returns such a page for each contract on L2, in their order.
func (s *Messages) OfContracts(ctx context.Context, c domain.Chain, contracts []starknet.Felt, filter MessageFilter, page domain.PageRequest) ([]domain.Page[Message], domain.Coverage, error) {
	lists, err := s.store.MessagesOfContracts(ctx, c, contracts, filter, page)
	if err != nil {
		return nil, domain.Coverage{}, err
	}
	groups := make([][]Message, len(lists))
	for i := range lists {
		groups[i] = lists[i].Items
	}
	coverage, err := s.stamp(ctx, c, groups...)
	return lists, coverage, err
}

// OfTransactions returns all messages of each transaction: the one from L1
// that it handles, then those that it sends, in their order.
func (s *Messages) OfTransactions(ctx context.Context, c domain.Chain, places []TxPlace) ([][]Message, error) {
	lists, err := s.store.MessagesOfTransactions(ctx, c, places)
	if err != nil {
		return nil, err
	}
	_, err = s.stamp(ctx, c, lists...)
	return lists, err
}

// stamp sets the finality of messages.
func (s *Messages) stamp(ctx context.Context, c domain.Chain, lists ...[]Message) (domain.Coverage, error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil {
		return domain.Coverage{}, err
	}
	for _, list := range lists {
		for i := range list {
			list[i].Tier = horizon.Tier(list[i].Block)
			list[i].Status = messageStatus(&list[i], horizon)
		}
	}
	return horizon.History(), nil
}

func messageStatus(m *Message, horizon Horizon) MessageStatus {
	switch {
	case m.Reverted:
		return MessageReverted
	case horizon.Finality(m.Block) == AcceptedOnL1:
		return MessageOnL1
	}
	return MessageOnL2
}
