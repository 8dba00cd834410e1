package repo

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// messageParts are the columns that messagesShown takes from a list of
// messages, after the parent of each.
const messageParts = "block, tx, idx, to_l1, contract, selector, nonce, hash, l1_address, payload"

// messagesShown is what is shown of the messages that %[2]s lists. Each of
// them finds its transaction and block by place and its words by id.
const messagesShown = `
	SELECT m.parent, m.block, m.tx, m.idx, m.to_l1,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = m.contract),
		(SELECT felt FROM selectors WHERE chain = %[1]d AND id = m.selector),
		m.nonce, m.hash, m.l1_address, m.payload, t.hash, t.reverted,
		(SELECT timestamp FROM blocks WHERE chain = %[1]d AND block = m.block)
	FROM (%[2]s) AS m (parent, ` + messageParts + `)
	CROSS JOIN LATERAL (
		SELECT hash, reverted FROM transactions WHERE chain = %[1]d AND block = m.block AND tx = m.tx LIMIT 1
	) t`

// messagesAfter are the messages of a page: those after the position in the
// arguments $1 to $4, newest first, which satisfy %[2]s.
const messagesAfter = `
	SELECT ` + messageParts + ` FROM messages
	WHERE chain = %[1]d AND block <= $1 AND (block, tx, to_l1, idx) < ($1, $2, $3, $4) %[2]s
	ORDER BY block DESC, tx DESC, to_l1 DESC, idx DESC LIMIT %[3]d`

// Messages implements chain.MessageStore.
func (db *DB) Messages(ctx context.Context, c domain.Chain, filter chain.MessageFilter, page domain.PageRequest) (domain.Page[chain.Message], error) {
	statement, arguments := allMessages(c, filter, page)
	lists, err := db.messages(ctx, 1, statement, arguments...)
	if err != nil {
		return domain.Page[chain.Message]{}, err
	}
	return messagePage(lists[0], page.Limit), nil
}

// allMessages goes along the messages' place or direction, or from locators.
func allMessages(c domain.Chain, filter chain.MessageFilter, page domain.PageRequest) (string, []any) {
	code, rows, arguments := chainCode(c), rowsFor(page.Limit), messagePosition(page.After)
	where := inDirection(filter.Direction)
	if filter.Tx == nil && filter.Hash == nil {
		return "/* message.list */" + fmt.Sprintf(messagesShown, code, "SELECT 1::bigint, "+messageParts+" FROM ("+fmt.Sprintf(messagesAfter, code, where, rows)+") x"), arguments
	}
	statement, arguments := locatedMessages(code, filter, arguments, where, rows)
	return "/* message.locate */" + fmt.Sprintf(messagesShown, code, statement), arguments
}

// sameTags is room for places that only have the tag of the hash that is looked
// for.
const sameTags = 100

// locatedMessages are the messages of a transaction, with a hash, or both.
// Locators by tag give places, newest first, and each place its messages. Every
// place gives one at least, so that as many places are enough as there are rows
// on the page.
func locatedMessages(code int, filter chain.MessageFilter, arguments []any, where string, rows int) (string, []any) {
	kind, hash := 3, []byte(nil)
	if filter.Hash != nil {
		arguments, hash = append(arguments, filter.Hash[:]), filter.Hash[:]
		where += fmt.Sprintf(" AND hash = $%d", len(arguments))
	}
	if filter.Tx != nil {
		kind, hash = 2, filter.Tx[:]
	}
	arguments = append(arguments, hash)
	if filter.Tx != nil {
		where += fmt.Sprintf(" AND (SELECT hash FROM transactions WHERE chain = %d AND block = l.block AND tx = l.tx) = $%d", code, len(arguments))
	}
	return fmt.Sprintf(`
		SELECT 1::bigint, x.* FROM (
			SELECT DISTINCT block, tx FROM locators
			WHERE tag = locator_tag($%[5]d) AND kind = %[4]d AND chain = %[1]d AND (block, tx) <= ($1, $2)
			ORDER BY block DESC, tx DESC LIMIT %[6]d
		) l
		CROSS JOIN LATERAL (
			SELECT `+messageParts+` FROM messages
			WHERE chain = %[1]d AND block = l.block AND tx = l.tx AND (block, tx, to_l1, idx) < ($1, $2, $3, $4) %[2]s
			OFFSET 0
		) x
		ORDER BY l.block DESC, l.tx DESC, x.to_l1 DESC, x.idx DESC LIMIT %[3]d`,
		code, where, rows, kind, len(arguments), rows+sameTags), arguments
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

// contractMessages goes along the messages' contract or contract_direction for
// each contract, or from locators.
func contractMessages(c domain.Chain, contracts []starknet.Felt, filter chain.MessageFilter, page domain.PageRequest) (string, []any) {
	code, rows := chainCode(c), rowsFor(page.Limit)
	arguments := append(messagePosition(page.After), feltBytes(contracts))
	where := inDirection(filter.Direction) + " AND contract = a.id"
	list := fmt.Sprintf(messagesAfter, code, where, rows)
	if filter.Tx != nil || filter.Hash != nil {
		list, arguments = locatedMessages(code, filter, arguments, where, rows)
		list = "SELECT " + messageParts + " FROM (" + list + ") AS m (parent, " + messageParts + ")"
	}
	return "/* message.of_contracts */" + fmt.Sprintf(messagesShown, code, fmt.Sprintf(`
		SELECT p.parent, x.* FROM unnest($5::bytea[]) WITH ORDINALITY AS p (felt, parent)
		CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %d AND felt = p.felt LIMIT 1) a
		CROSS JOIN LATERAL (%s) x`, code, list)), arguments
}

// transactionMessagesStatement goes along the messages' place.
func transactionMessagesStatement(c domain.Chain) string {
	return "/* message.of_transactions */" + fmt.Sprintf(messagesShown, chainCode(c), fmt.Sprintf(`
		SELECT p.parent, x.* FROM unnest($1::integer[], $2::smallint[]) WITH ORDINALITY AS p (block, tx, parent)
		CROSS JOIN LATERAL (
			SELECT `+messageParts+` FROM messages WHERE chain = %d AND block = p.block AND tx = p.tx OFFSET 0
		) x`, chainCode(c)))
}

// MessagesOfTransactions implements chain.MessageStore.
func (db *DB) MessagesOfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace) ([][]chain.Message, error) {
	blocks, txs := make([]int32, len(places)), make([]int16, len(places))
	for i, place := range places {
		blocks[i], txs[i] = int32(place.Block), int16(place.Tx)
	}
	lists, err := db.messages(ctx, len(places), transactionMessagesStatement(c), blocks, txs)
	for _, list := range lists {
		slices.Reverse(list)
	}
	return lists, err
}

// inDirection is the condition of one direction, or none.
func inDirection(direction facts.Direction) string {
	switch direction {
	case facts.L1ToL2:
		return " AND to_l1 = false"
	case facts.L2ToL1:
		return " AND to_l1 = true"
	}
	return ""
}

// messagePosition returns the arguments of a position; none is before all
// messages.
func messagePosition(after domain.Position) []any {
	if len(after) != 4 {
		return []any{int32(math.MaxInt32), int16(math.MaxInt16), true, int16(math.MaxInt16)}
	}
	return []any{int32(after[0]), int16(after[1]), after[2] != 0, int16(after[3])}
}

func messagePage(list []chain.Message, limit int) domain.Page[chain.Message] {
	return domain.CutPage(list, limit, func(m chain.Message) domain.Position {
		toL1 := uint64(0)
		if m.Direction == facts.L2ToL1 {
			toL1 = 1
		}
		return domain.Position{m.Block, uint64(m.TxIndex), toL1, uint64(m.Index)}
	})
}

// messages runs a statement of messagesShown and returns the messages of each
// parent, newest first.
func (db *DB) messages(ctx context.Context, parents int, statement string, arguments ...any) ([][]chain.Message, error) {
	rows, err := collect(ctx, db, collectFields, statement, arguments...)
	if err != nil {
		return nil, err
	}
	lists := make([][]chain.Message, parents)
	for i := range rows {
		parent := int(rows[i].int8()) - 1
		m := shownMessage(&rows[i])
		if rows[i].bad {
			return nil, damaged(facts.TableMessages, m.Block, "a value is malformed, or its block, its transaction or an id is missing")
		}
		lists[parent] = append(lists[parent], m)
	}
	for _, list := range lists {
		slices.SortFunc(list, newestMessage)
	}
	return lists, nil
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
