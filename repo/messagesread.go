package repo

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Messages implements chain.MessageStore.
func (db *DB) Messages(ctx context.Context, c domain.Chain, filter chain.MessageFilter, page domain.PageRequest) (domain.Page[chain.Message], error) {
	statement, arguments := allMessages(c, filter, page)
	lists, err := db.messages(ctx, 1, statement, arguments...)
	if err != nil {
		return domain.Page[chain.Message]{}, err
	}
	return messagePage(lists[0], page.Limit), nil
}

// MessagesOfContracts implements chain.MessageStore.
func (db *DB) MessagesOfContracts(ctx context.Context, c domain.Chain, contracts []starknet.Felt, filter chain.MessageFilter, page domain.PageRequest) ([]domain.Page[chain.Message], error) {
	statement, arguments := contractMessages(c, contracts, filter, page)
	lists, err := db.messages(ctx, len(contracts), statement, arguments...)
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
func (db *DB) MessagesOfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace) ([][]chain.Message, error) {
	blocks, txs := make([]int32, len(places)), make([]int16, len(places))
	for i, place := range places {
		blocks[i], txs[i] = int32(place.Block), int16(place.Tx)
	}
	lists, err := db.messages(ctx, len(places), transactionMessages(c), blocks, txs)
	for _, list := range lists {
		slices.Reverse(list)
	}
	return lists, err
}

func messagePage(list []chain.Message, limit int) domain.Page[chain.Message] {
	return domain.CutPage(list, limit, chain.Message.Position)
}

// messages runs a statement of messagesShown and returns the messages of each
// parent, newest first.
func (db *DB) messages(ctx context.Context, parents int, statement string, arguments ...any) ([][]chain.Message, error) {
	rows, err := db.reader.Query(ctx, statement, arguments...)
	if err != nil {
		return nil, readFailure(ctx, err)
	}
	lists, err := messagesOf(rows, parents)
	return lists, readFailure(ctx, err)
}

// messagesOf reads the rows of messagesShown.
func messagesOf(rows pgx.Rows, parents int) ([][]chain.Message, error) {
	lists := make([][]chain.Message, parents)
	err := visitRows(rows, func(f *fields) error {
		parent := int(f.int8()) - 1
		m := shownMessage(f)
		if f.bad {
			return damaged(facts.TableMessages, m.Block, "a value is malformed, or its block, its transaction or an id is missing")
		}
		lists[parent] = append(lists[parent], m)
		return nil
	})
	for _, list := range lists {
		slices.SortFunc(list, newestMessage)
	}
	return lists, err
}

// newestMessage orders messages as pages do.
func newestMessage(a, b chain.Message) int {
	return -cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.TxIndex, b.TxIndex),
		cmp.Compare(a.Direction, b.Direction), cmp.Compare(a.Index, b.Index))
}

func shownMessage(f *fields) chain.Message {
	m := chain.Message{Block: uint64(f.int4())}
	m.TxIndex, m.Index = f.int2(), f.int2()
	toL1, contract := f.bool(), f.felt()
	m.Selector, m.Nonce = f.feltOrNil(), f.numberFelt()
	m.Hash = starknet.Hash256(f.fixed(32))
	l1 := f.felt()
	m.Direction, m.From, m.To = facts.L1ToL2, l1, contract
	if toL1 {
		m.Direction, m.From, m.To = facts.L2ToL1, contract, l1
	}
	m.Payload = f.felts(0)
	m.TxHash, m.Reverted = f.felt(), f.bool()
	m.Time = time.Unix(f.int8(), 0).UTC()
	return m
}
