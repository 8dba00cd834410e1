package onchain

import (
	"cmp"
	"context"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/bridge"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Messages reads messages between the layers.
type Messages struct{ db *repo.DB }

var (
	_ chain.MessageStore  = Messages{}
	_ bridge.MessageStore = Messages{}
)

// NewMessages returns the repository of messages.
func NewMessages(db *repo.DB) Messages { return Messages{db} }

// Messages implements chain.MessageStore.
func (r Messages) Messages(ctx context.Context, c domain.Chain, filter chain.MessageFilter, page domain.PageRequest) (domain.Page[chain.Message], error) {
	statement, arguments := allMessages(c, filter, page)
	lists, err := r.lists(ctx, 1, statement, arguments...)
	if err != nil {
		return domain.Page[chain.Message]{}, err
	}
	return messagePage(lists[0], page.Limit), nil
}

// MessagesOfContracts implements chain.MessageStore.
func (r Messages) MessagesOfContracts(ctx context.Context, c domain.Chain, contracts []starknet.Felt, filter chain.MessageFilter, page domain.PageRequest) ([]domain.Page[chain.Message], error) {
	statement, arguments := contractMessages(c, contracts, filter, page)
	lists, err := r.lists(ctx, len(contracts), statement, arguments...)
	if err != nil {
		return nil, err
	}
	pages := make([]domain.Page[chain.Message], len(lists))
	for i := range lists {
		pages[i] = messagePage(lists[i], page.Limit)
	}
	return pages, nil
}

// MessagesOfTransactions implements chain.MessageStore.
func (r Messages) MessagesOfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace) ([][]chain.Message, error) {
	blocks, txs := make([]int32, len(places)), make([]int16, len(places))
	for i, place := range places {
		blocks[i], txs[i] = int32(place.Block), int16(place.Tx)
	}
	lists, err := r.lists(ctx, len(places), repo.Text(messagesOfTransactions, model.Code(c)), blocks, txs)
	for _, list := range lists {
		slices.Reverse(list)
	}
	return lists, err
}

func messagePage(list []chain.Message, limit int) domain.Page[chain.Message] {
	return domain.CutPage(list, limit, chain.Message.Position)
}

// messageRow is a row of selectMessages, which has felts instead of ids.
type messageRow struct {
	Parent int64 `bun:"parent"`
	model.Message
	Contract  starknet.Felt  `bun:"contract"`
	Selector  *starknet.Felt `bun:"selector"`
	TxHash    starknet.Felt  `bun:"tx_hash"`
	Reverted  bool           `bun:"reverted"`
	Timestamp *int64         `bun:"timestamp"` // nil where the block is missing
}

// lists runs a statement of selectMessages and returns the messages of each
// parent, newest first.
func (r Messages) lists(ctx context.Context, parents int, statement string, arguments ...any) ([][]chain.Message, error) {
	rows, err := read(ctx, r.db, facts.TableMessages, func(row *messageRow) model.BlockNumber { return row.Block }, statement, arguments...)
	if err != nil {
		return nil, err
	}
	lists, err := repo.ByParent(rows, parents, (*messageRow).message)
	for _, list := range lists {
		slices.SortFunc(list, newestFirst)
	}
	return lists, err
}

// newestFirst orders messages as pages do.
func newestFirst(a, b chain.Message) int {
	return -cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.TxIndex, b.TxIndex),
		cmp.Compare(a.Direction, b.Direction), cmp.Compare(a.Index, b.Index))
}

// message returns the message of a row and its parent.
func (r *messageRow) message() (parent int64, m chain.Message, err error) {
	m = chain.Message{
		Block: uint64(r.Block), TxHash: r.TxHash, Reverted: r.Reverted,
		Message: facts.Message{
			TxIndex: int(r.Tx), Index: int(r.Idx), Hash: starknet.Hash256(r.Hash), Selector: r.Selector, Nonce: r.Nonce.Felt(), Payload: r.Payload,
			Direction: facts.L1ToL2, From: r.L1Address, To: r.Contract,
		},
	}
	if r.ToL1 {
		m.Direction, m.From, m.To = facts.L2ToL1, r.Contract, r.L1Address
	}
	if r.Timestamp == nil {
		return 0, m, &indexing.DamageError{Table: facts.TableMessages, Block: &m.Block, What: "there is no such block"}
	}
	m.Time = time.Unix(*r.Timestamp, 0).UTC()
	return r.Parent, m, nil
}
