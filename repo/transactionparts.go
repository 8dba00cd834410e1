package repo

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/transaction"
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
