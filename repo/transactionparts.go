package repo

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/transaction"
	"astrolabe/starknet"
)

// PartsOf implements transaction.Store.
func (db *DB) PartsOf(ctx context.Context, c domain.Chain, place chain.TxPlace, asked chain.CallQuestions, logLimit int) (parts transaction.Parts, err error) {
	block, tx := []int32{int32(place.Block)}, []int16{int16(place.Tx)}
	err = db.look(ctx, func(b *pgx.Batch) {
		b.Queue(eventsOfTransactions(c, rowsFor(logLimit)), block, tx, int16(-1)).Query(into(&parts.Events, childEvent))
		b.Queue(written(allTransfersOfTransactions, chainCode(c)), block, tx, int16(-1), int16(0)).Query(into(&parts.Transfers, childTransfer))
		b.Queue(transactionMessages(c), block, tx).Query(func(rows pgx.Rows) error {
			lists, err := messagesOf(rows, 1)
			if err == nil {
				parts.Messages = lists[0]
				slices.Reverse(parts.Messages)
			}
			return err
		})
		if !asked.Empty() {
			parts.Calls = queueCallAnswers(b, c, asked)
		}
	})
	return parts, err
}

// into keeps the rows of an only parent.
func into[T any](list *[]T, scan pgx.RowToFunc[child[T]]) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		for rows.Next() {
			found, err := scan(rows)
			if err != nil {
				rows.Close()
				return err
			}
			*list = append(*list, found.row)
		}
		return rows.Err()
	}
}

// CallAnswers implements chain.TransactionStore.
func (db *DB) CallAnswers(ctx context.Context, c domain.Chain, asked chain.CallQuestions) (answers chain.CallAnswers, err error) {
	err = db.look(ctx, func(b *pgx.Batch) { answers = queueCallAnswers(b, c, asked) })
	return answers, err
}

// queueCallAnswers queues the statements of what is asked about calls. Their
// rows come into the answers that it returns.
func queueCallAnswers(b *pgx.Batch, c domain.Chain, asked chain.CallQuestions) chain.CallAnswers {
	answers := chain.CallAnswers{Classes: make([]facts.ClassHistory, len(asked.Contracts)), Names: make([]string, len(asked.Selectors))}
	blocks := make([]int32, len(asked.Blocks))
	for i, block := range asked.Blocks {
		blocks[i] = int32(block)
	}
	b.Queue(written(classesInForce, chainCode(c)), feltBytes(asked.Contracts), blocks).Query(func(rows pgx.Rows) error {
		return eachClass(rows, func(n int, since facts.ClassSince) {
			answers.Classes[n] = append(answers.Classes[n], since)
		})
	})
	b.Queue(written(functionNames, chainCode(c)), feltBytes(asked.Selectors)).Query(func(rows pgx.Rows) error {
		return visitRows(rows, keepName(answers.Names))
	})
	return answers
}

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

// transactionMessages goes along the messages' place.
func transactionMessages(c domain.Chain) string {
	return written(messagesOfTransactions, chainCode(c))
}

var messagesOfTransactions = "/* message.of_transactions */" + strings.Replace(messagesShown, "%[2]s", `
	SELECT p.parent, x.* FROM unnest($1::integer[], $2::smallint[]) WITH ORDINALITY AS p (block, tx, parent)
	CROSS JOIN LATERAL (
		SELECT `+messageParts+` FROM messages WHERE chain = %[1]d AND block = p.block AND tx = p.tx OFFSET 0
	) x`, 1)

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

// functionNames is one name for each selector, by function_schemas_selector.
const functionNames = `/* function.names */
	SELECT p.n, f.name
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, n)
	CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = p.felt LIMIT 1) s
	CROSS JOIN LATERAL (SELECT name FROM function_schemas WHERE chain = %[1]d AND selector = s.id ORDER BY name LIMIT 1) f`

// keepName puts a row of functionNames in its place.
func keepName(names []string) func(*fields) error {
	return func(f *fields) error {
		n := f.int8()
		names[n-1] = string(f.bytes())
		return nil
	}
}
