package resolver

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// Message is a message between L1 and L2.
type Message struct {
	onChain
	membership[*Message]
	facts *chain.Message
}

// messageType is the type of a message's global id.
const messageType = "Message"

// IsNode marks the message as a Node.
func (m *Message) IsNode() {}

// ID returns the message's global id.
func (m *Message) ID() string { return m.id(messageType, m.facts.ID()) }

// MessageID returns the unique ID of the message: its transaction, direction
// and index.
func (m *Message) MessageID() string { return m.facts.ID() }

// Direction returns the direction of the message.
func (m *Message) Direction() scalar.Enum { return scalar.Enum(m.facts.Direction) }

// BlockNumber returns the number of the L2 block that contains the message.
func (m *Message) BlockNumber() uint64 { return m.facts.Block }

// TimestampIso returns the timestamp of that block.
func (m *Message) TimestampIso() time.Time { return m.facts.Time }

// TxIndex returns the index of the transaction in its block.
func (m *Message) TxIndex() int { return m.facts.TxIndex }

// MessageIndex returns the index of the message among the messages of its
// transaction in this direction.
func (m *Message) MessageIndex() int { return m.facts.Index }

// MessageHash returns the hash of the message.
func (m *Message) MessageHash() starknet.Hash256 { return m.facts.Hash }

// FromAddress returns the sender of the message.
func (m *Message) FromAddress() starknet.Felt { return m.facts.From }

// ToAddress returns the recipient of the message.
func (m *Message) ToAddress() starknet.Felt { return m.facts.To }

// TxHash returns the hash of the L2 transaction.
func (m *Message) TxHash() starknet.Felt { return m.facts.TxHash }

// L1ContractAddress returns the address of the contract on L1.
func (m *Message) L1ContractAddress() starknet.Felt { return m.facts.L1Contract() }

// L2ContractAddress returns the address of the contract on L2.
func (m *Message) L2ContractAddress() starknet.Felt { return m.facts.Contract() }

// Nonce returns the nonce of the message.
func (m *Message) Nonce() *starknet.Felt { return m.facts.Nonce }

// Selector returns the selector of the L1 handler.
func (m *Message) Selector() *starknet.Felt { return m.facts.Selector }

// Payload returns the payload of the message.
func (m *Message) Payload() []starknet.Felt { return m.facts.Payload }

// Status returns the status of the message on L2.
func (m *Message) Status() scalar.Enum { return scalar.Enum(m.facts.Status) }

// SourceTier reports whether a reorg can still remove the message from the
// index.
func (m *Message) SourceTier() scalar.Enum { return scalar.Enum(m.facts.Tier) }

// Block returns the block of the message.
func (m *Message) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, m, "Message.block", requiredKey((*Message).BlockNumber), m.blocksByNumber())
}

// Transaction returns the L2 transaction.
func (m *Message) Transaction(ctx context.Context) (*Transaction, error) {
	return toOne(ctx, m, "Message.transaction", requiredKey((*Message).TxHash), m.transactionsByHash())
}

// Contract returns the contract on L2.
func (m *Message) Contract(ctx context.Context) (*Contract, error) {
	return toOne(ctx, m, "Message.contract", requiredKey((*Message).L2ContractAddress), m.contracts())
}

// MessageConnection is a page of messages.
type MessageConnection = Connection[*Message]

// MessageEdge is an edge of a connection with one message and its cursor.
type MessageEdge = Edge[*Message]

func (on onChain) newMessage(facts chain.Message) *Message {
	return &Message{onChain: on, facts: &facts}
}

// messagesOfTransactions looks up the messages of each transaction. They are
// read by position and checked against the transaction's hash, because after a
// reorg another transaction may have that position.
func (on onChain) messagesOfTransactions() lookup[txRef, []chain.Message, []*Message] {
	return lookup[txRef, []chain.Message, []*Message]{
		factOf(on, "messages of a transaction", func(ctx context.Context, c domain.Chain, txs []txRef) ([][]chain.Message, error) {
			found, err := on.resolver.Messages.OfTransactions(ctx, c, places(txs))
			if err != nil {
				return nil, err
			}
			for i, messages := range found {
				if len(messages) > 0 && messages[0].TxHash != txs[i].hash {
					return nil, chain.Replaced()
				}
			}
			return found, nil
		}),
		func(b *cohort.Batch[txRef, []chain.Message]) [][]*Message {
			var all []*Message
			lists := make([][]*Message, len(b.Values))
			for i, messages := range b.Values {
				lists[i] = convert(messages, on.newMessage)
				all = append(all, lists[i]...)
			}
			joinCohort(b.Cache, all)
			return lists
		},
	}
}

// messagesOfContracts pages through each contract's messages.
func (on onChain) messagesOfContracts(filter chain.MessageFilter) coveredPager[starknet.Felt, chain.Message, *Message] {
	return coveredPagerOf(on, func(ctx context.Context, c domain.Chain, contracts []starknet.Felt, page domain.PageRequest) ([]coveredPage[chain.Message], error) {
		pages, coverage, err := on.resolver.Messages.OfContracts(ctx, c, contracts, filter, page)
		return coverPages(pages, coverage), err
	}, chain.Message.Position, on.newMessage)
}

// messagesByID reads messages by messageId; a message that is not indexed is nil.
func (on onChain) messagesByID(ctx context.Context, cache *cohort.Cache, ids []string) ([]*Message, error) {
	hashes := make([]starknet.Felt, len(ids))
	for i, id := range ids {
		var err error
		if hashes[i], err = messageTx(id); err != nil {
			return nil, err
		}
	}
	txs, err := on.transactionsByHash().all(ctx, cache, hashes)
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

// messageTx returns the transaction of a messageId, which must be spelled
// canonically.
func messageTx(id string) (starknet.Felt, error) {
	parts := strings.Split(id, ":")
	if len(parts) == 3 && (parts[1] == string(facts.L1ToL2) || parts[1] == string(facts.L2ToL1)) {
		hash, err := starknet.ParseFelt(parts[0])
		index, wrong := strconv.ParseUint(parts[2], 10, 15)
		if err == nil && wrong == nil && hash.String() == parts[0] && strconv.FormatUint(index, 10) == parts[2] {
			return hash, nil
		}
	}
	return starknet.Felt{}, domain.Errorf(domain.CodeInvalidRequest, "messageId must be a transaction hash, a direction and an index, separated by colons.")
}

// MessageFilter selects messages.
type MessageFilter struct {
	Direction   *scalar.Enum
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

// Messages lists cross-layer messages, newest first.
func (r *Query) Messages(ctx context.Context, id domain.Chain, filter *MessageFilter, first *int, after *string) (*MessageConnection, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	l, err := r.resolver.list(ctx, "", first, after)
	if err != nil {
		return nil, err
	}
	page, coverage, err := r.resolver.Messages.All(ctx, id, filter.filter(), l.request)
	if err != nil {
		return nil, err
	}
	pages := coverPages([]domain.Page[chain.Message]{page}, coverage)
	return &MessageConnection{slice: coveredSlices(new(cohort.Cache), pages, chain.Message.Position, on.newMessage)[0], list: l}, nil
}

// Message returns a cross-layer message by its messageId.
func (r *Query) Message(ctx context.Context, id domain.Chain, messageID string) (*Message, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	found, err := on.messagesByID(ctx, nil, []string{messageID})
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, domain.Errorf(domain.CodeNotFound, "The message is not indexed.")
	}
	return found[0], nil
}
