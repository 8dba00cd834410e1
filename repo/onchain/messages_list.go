package onchain

import (
	"fmt"
	"math"
	"strings"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// messageColumns are the columns that selectMessages takes from a list of
// messages, after the parent of each.
const messageColumns = "block, tx, idx, to_l1, contract, selector, nonce, hash, l1_address, payload"

// selectMessages selects the rows of the messages that %[2]s lists. It finds
// transactions and blocks by place, felts by primary key.
const selectMessages = `
	SELECT m.parent, m.block, m.tx, m.idx, m.to_l1,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = m.contract) AS contract,
		(SELECT felt FROM selectors WHERE chain = %[1]d AND id = m.selector) AS selector,
		m.nonce, m.hash, m.l1_address, m.payload, t.hash AS tx_hash, t.reverted,
		(SELECT timestamp FROM blocks WHERE chain = %[1]d AND block = m.block) AS timestamp
	FROM (%[2]s) AS m (parent, ` + messageColumns + `)
	CROSS JOIN LATERAL (
		SELECT hash, reverted FROM transactions WHERE chain = %[1]d AND block = m.block AND tx = m.tx LIMIT 1
	) t`

// messageList builds the statement of a page of messages, newest first.
type messageList struct {
	code, rows int
	order      []string // the sort columns
	where      string   // the condition
	arguments  []any    // the cursor position in that order, then others
}

// newMessageList starts the statement of a page. A list of one direction does
// not sort by direction; otherwise the planner would not use an index that
// begins with it.
func newMessageList(c domain.Chain, direction facts.Direction, page domain.PageRequest) *messageList {
	l := &messageList{code: model.Code(c), rows: repo.RowsFor(page.Limit)}
	block, tx, toL1, idx := int32(math.MaxInt32), int16(math.MaxInt16), true, int16(math.MaxInt16) // before all messages
	if len(page.After) == 4 {
		block, tx, toL1, idx = int32(page.After[0]), int16(page.After[1]), page.After[2] != 0, int16(page.After[3])
	}
	l.order, l.arguments = []string{"block", "tx", "idx"}, []any{block, tx, idx}
	switch direction {
	case facts.L1ToL2:
		l.where = " AND to_l1 = false"
	case facts.L2ToL1:
		l.where = " AND to_l1 = true"
	default:
		l.order, l.arguments = []string{"block", "tx", "to_l1", "idx"}, []any{block, tx, toL1, idx}
	}
	l.where += fmt.Sprintf(" AND (%s) < (%s)", strings.Join(l.order, ", "), "$1, $2, $3, $4"[:4*len(l.order)-2])
	return l
}

// argument adds an argument and returns its placeholder.
func (l *messageList) argument(value any) string {
	l.arguments = append(l.arguments, value)
	return fmt.Sprintf("$%d", len(l.arguments))
}

// newest returns the ORDER BY and LIMIT of a page.
func (l *messageList) newest() string {
	return fmt.Sprintf("ORDER BY %s DESC LIMIT %d", strings.Join(l.order, " DESC, "), l.rows)
}

// selecting lists the messages by locators if the filter has a hash, and in the
// order of an index otherwise.
func (l *messageList) selecting(filter chain.MessageFilter) string {
	if filter.Tx == nil && filter.Hash == nil {
		return fmt.Sprintf("SELECT %s FROM messages WHERE chain = %d AND block <= $1%s %s", messageColumns, l.code, l.where, l.newest())
	}
	return l.located(filter)
}

// sameTags is the allowance for locators whose tag is equal although their hash
// is not.
const sameTags = 100

// located lists the messages of a transaction, with a hash, or both. Locators
// by tag give places, newest first, and each place its messages. Every place
// has at least one message, so a page of n rows needs at most n places.
func (l *messageList) located(filter chain.MessageFilter) string {
	kind, tag := 3, ""
	if filter.Hash != nil {
		tag = l.argument(filter.Hash[:])
		l.where += " AND hash = " + tag
	}
	if filter.Tx != nil {
		kind, tag = 2, l.argument(filter.Tx[:])
		l.where += fmt.Sprintf(" AND (SELECT hash FROM transactions WHERE chain = %d AND block = l.block AND tx = l.tx) = %s", l.code, tag)
	}
	return fmt.Sprintf(`
		SELECT x.* FROM (
			SELECT DISTINCT block, tx FROM locators
			WHERE tag = locator_tag(%[4]s) AND kind = %[5]d AND chain = %[1]d AND (block, tx) <= ($1, $2)
			ORDER BY block DESC, tx DESC LIMIT %[6]d
		) l
		CROSS JOIN LATERAL (
			SELECT `+messageColumns+` FROM messages WHERE chain = %[1]d AND block = l.block AND tx = l.tx%[2]s OFFSET 0
		) x %[3]s`, l.code, l.where, l.newest(), tag, kind, l.rows+sameTags)
}

// allMessages uses messages_…_place or messages_…_direction, or locators_tag.
func allMessages(c domain.Chain, filter chain.MessageFilter, page domain.PageRequest) (string, []any) {
	l := newMessageList(c, filter.Direction, page)
	list := fmt.Sprintf("SELECT 1::bigint, x.* FROM (%s) x", l.selecting(filter))
	return "/* message.list */" + fmt.Sprintf(selectMessages, l.code, list), l.arguments
}

// contractMessages uses messages_…_contract or messages_…_contract_direction
// for each contract, or locators_tag.
func contractMessages(c domain.Chain, contracts []starknet.Felt, filter chain.MessageFilter, page domain.PageRequest) (string, []any) {
	l := newMessageList(c, filter.Direction, page)
	l.where += " AND contract = a.id"
	list := fmt.Sprintf(`
		SELECT p.parent, x.* FROM unnest(%[2]s::bytea[]) WITH ORDINALITY AS p (felt, parent)
		CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
		CROSS JOIN LATERAL (%[3]s) x`, l.code, l.argument(model.Bytes(contracts)), l.selecting(filter))
	return "/* message.of_contracts */" + fmt.Sprintf(selectMessages, l.code, list), l.arguments
}

// messagesOfTransactions uses messages_…_place.
var messagesOfTransactions = "/* message.of_transactions */" + strings.Replace(selectMessages, "%[2]s", `
	SELECT p.parent, x.* FROM unnest($1::integer[], $2::smallint[]) WITH ORDINALITY AS p (block, tx, parent)
	CROSS JOIN LATERAL (
		SELECT `+messageColumns+` FROM messages WHERE chain = %[1]d AND block = p.block AND tx = p.tx OFFSET 0
	) x`, 1)
