package graph

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Message is a message between the layers.
type Message struct {
	part
	among[*Message]
	facts *chain.Message
}

// messageType is the type of a message's global id.
const messageType = "Message"

// IsNode marks the message as a Node.
func (m *Message) IsNode() {}

// ID returns the message's global id.
func (m *Message) ID() string { return m.id(messageType, m.facts.ID()) }

// MessageID returns the message's own name.
func (m *Message) MessageID() string { return m.facts.ID() }

// Direction returns the way of the message.
func (m *Message) Direction() Word { return Word(m.facts.Direction) }

// BlockNumber returns the number of the block.
func (m *Message) BlockNumber() uint64 { return m.facts.Block }

// TimestampIso returns when the block was made.
func (m *Message) TimestampIso() time.Time { return m.facts.Time }

// TxIndex returns the index of the transaction in the block.
func (m *Message) TxIndex() int { return m.facts.TxIndex }

// MessageIndex returns the index among the transaction's messages.
func (m *Message) MessageIndex() int { return m.facts.Index }

// MessageHash returns the message's hash.
func (m *Message) MessageHash() starknet.Hash256 { return m.facts.Hash }

// FromAddress returns who sends the message.
func (m *Message) FromAddress() starknet.Felt { return m.facts.From }

// ToAddress returns who receives the message.
func (m *Message) ToAddress() starknet.Felt { return m.facts.To }

// TxHash returns the hash of the transaction.
func (m *Message) TxHash() starknet.Felt { return m.facts.TxHash }

// L1ContractAddress returns the contract on L1.
func (m *Message) L1ContractAddress() starknet.Felt { return m.facts.L1Contract() }

// L2ContractAddress returns the contract on L2.
func (m *Message) L2ContractAddress() starknet.Felt { return m.facts.Contract() }

// Nonce returns the nonce of a message from L1.
func (m *Message) Nonce() *starknet.Felt { return m.facts.Nonce }

// Selector returns the entry point that handles a message from L1.
func (m *Message) Selector() *starknet.Felt { return m.facts.Selector }

// Payload returns what the message says.
func (m *Message) Payload() []starknet.Felt { return m.facts.Payload }

// Status tells what became of the message.
func (m *Message) Status() Word { return Word(m.facts.Status) }

// SourceTier tells whether the message can still be undone.
func (m *Message) SourceTier() Word { return Word(m.facts.Tier) }

// Block returns the block.
func (m *Message) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, m.peers, m, "Message.block", present((*Message).BlockNumber), m.blocksByNumber)
}

// Transaction returns the transaction on L2.
func (m *Message) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, m.peers, m, "Message.transaction", present((*Message).TxHash), m.transactionsByHash)
}

// Contract returns the contract on L2.
func (m *Message) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, m.peers, m, "Message.contract", present((*Message).L2ContractAddress), m.contracts)
}

// MessageConnection is a page of messages.
type MessageConnection = Connection[*Message]

// MessageEdge is a message in a list.
type MessageEdge = Edge[*Message]

// messageSlices makes the pages of several parents.
func (p part) messageSlices(pages []domain.Page[chain.Message], coverage domain.Coverage) []slice[*Message] {
	return covered(slicesOf(pages, chain.Message.Position, func(_ int, m chain.Message) *Message { return &Message{part: p, facts: &m} }), coverage)
}

// messagesOfTransactions reads the messages of each transaction. They are found
// by their place: what stands there by now must be of the transaction.
func (p part) messagesOfTransactions(ctx context.Context, txs []*Transaction) ([][]*Message, error) {
	found, err := p.h.Messages.OfTransactions(ctx, p.chain, places(txs))
	if err != nil {
		return nil, err
	}
	var all []*Message
	lists := make([][]*Message, len(txs))
	for i, messages := range found {
		if len(messages) > 0 && messages[0].TxHash != txs[i].line.Hash {
			return nil, chain.Replaced()
		}
		lists[i] = make([]*Message, len(messages))
		for j := range messages {
			lists[i][j] = &Message{part: p, facts: &messages[j]}
		}
		all = append(all, lists[i]...)
	}
	together(all)
	return lists, nil
}

// messagesOfContracts reads a page of each contract's messages.
func (p part) messagesOfContracts(filter chain.MessageFilter) func(context.Context, []*Contract, domain.PageRequest) ([]slice[*Message], error) {
	return func(ctx context.Context, contracts []*Contract, request domain.PageRequest) ([]slice[*Message], error) {
		pages, coverage, err := p.h.Messages.OfContracts(ctx, p.chain, convert(contracts, (*Contract).Address), filter, request)
		if err != nil {
			return nil, err
		}
		return p.messageSlices(pages, coverage), nil
	}
}

// messagesByID reads messages by their own names; nil stands for one that is
// not in the index.
func (p part) messagesByID(ctx context.Context, ids []string) ([]*Message, error) {
	hashes := make([]starknet.Felt, len(ids))
	for i, id := range ids {
		var err error
		if hashes[i], err = messageTx(id); err != nil {
			return nil, err
		}
	}
	txs, err := p.transactionsByHash(ctx, hashes)
	if err != nil {
		return nil, err
	}
	found := make([]*Message, len(ids))
	for i, id := range ids {
		if txs[i] == nil {
			continue
		}
		messages, err := txs[i].Messages(ctx)
		if err != nil {
			return nil, err
		}
		if place := slices.IndexFunc(messages, func(m *Message) bool { return m.facts.ID() == id }); place >= 0 {
			found[i] = messages[place]
		}
	}
	return found, nil
}

// messageTx reads the transaction of a message's own name, in the one spelling
// that it has.
func messageTx(id string) (starknet.Felt, error) {
	parts := strings.Split(id, ":")
	if len(parts) == 3 && (parts[1] == string(facts.L1ToL2) || parts[1] == string(facts.L2ToL1)) {
		hash, err := starknet.ParseFelt(parts[0])
		index, wrong := strconv.ParseUint(parts[2], 10, 15)
		if err == nil && wrong == nil && hash.String() == parts[0] && strconv.FormatUint(index, 10) == parts[2] {
			return hash, nil
		}
	}
	return starknet.Felt{}, domain.Errorf(domain.CodeInvalidRequest, "a messageId is the hash of a transaction, a direction and an index, with colons between them")
}

// MessageFilter narrows a list of messages.
type MessageFilter struct {
	Direction   *Word
	TxHash      *starknet.Felt
	MessageHash *starknet.Hash256
}

func (f *MessageFilter) filter() chain.MessageFilter {
	if f == nil {
		return chain.MessageFilter{}
	}
	filter := chain.MessageFilter{Tx: f.TxHash, Hash: f.MessageHash}
	if f.Direction != nil {
		filter.Direction = facts.Direction(*f.Direction)
	}
	return filter
}

// Messages pages through the messages of a chain.
func (r queryResolver) Messages(ctx context.Context, id domain.Chain, filter *MessageFilter, first *int, after *string) (*MessageConnection, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	l, err := r.h.list(ctx, "", first, after)
	if err != nil {
		return nil, err
	}
	page, coverage, err := r.h.Messages.All(ctx, id, filter.filter(), l.request)
	if err != nil {
		return nil, err
	}
	return &MessageConnection{slice: p.messageSlices([]domain.Page[chain.Message]{page}, coverage)[0], list: l}, nil
}

// Message returns a message by its own name.
func (r queryResolver) Message(ctx context.Context, id domain.Chain, messageID string) (*Message, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	found, err := p.messagesByID(ctx, []string{messageID})
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, domain.Errorf(domain.CodeNotFound, "the message is not in the index")
	}
	return found[0], nil
}
