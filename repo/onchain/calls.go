package onchain

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// callAnswers returns the newest classes of each contract in $1 up to its block
// in $2, by the primary key of contract_classes (a contract gets at most three
// classes in a block, so four rows include the one before), and the name of
// each function in $3, by function_schemas_selector.
const callAnswers = `/* transaction.calls */
	SELECT p.n AS contract, NULL::bigint AS selector, NULL::text AS name,
		h.block, h.origin, (SELECT hash FROM classes WHERE chain = %[1]d AND id = h.class) AS class
	FROM unnest($1::bytea[], $2::integer[]) WITH ORDINALITY AS p (felt, block, n)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
	CROSS JOIN LATERAL (
		SELECT block, origin, class FROM contract_classes WHERE chain = %[1]d AND address = a.id AND block <= p.block
		ORDER BY block DESC, origin DESC LIMIT 4
	) h
	UNION ALL
	SELECT NULL, p.n, f.name, NULL, NULL, NULL
	FROM unnest($3::bytea[]) WITH ORDINALITY AS p (felt, n)
	CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = p.felt LIMIT 1) s
	CROSS JOIN LATERAL (SELECT name FROM function_schemas WHERE chain = %[1]d AND selector = s.id ORDER BY name LIMIT 1) f`

// callRow is a class of a contract or the name of a function.
type callRow struct {
	Contract *int64             `bun:"contract"` // its position in the lookups, from 1
	Selector *int64             `bun:"selector"` // likewise
	Name     *string            `bun:"name"`
	Block    *model.BlockNumber `bun:"block"`
	Origin   *model.Origin      `bun:"origin"`
	Class    *starknet.Felt     `bun:"class"`
}

// CallAnswers implements chain.TransactionStore.
func (r Transactions) CallAnswers(ctx context.Context, c domain.Chain, asked chain.CallLookups) (chain.CallAnswers, error) {
	blocks := make([]int32, len(asked.Blocks))
	for i, block := range asked.Blocks {
		blocks[i] = model.ClipBlock(block)
	}
	rows, err := repo.Select[callRow](ctx, r.db.Read(), repo.Text(callAnswers, model.Code(c)), model.Bytes(asked.Contracts), blocks, model.Bytes(asked.Selectors))
	if err != nil {
		return chain.CallAnswers{}, err
	}
	answers := chain.CallAnswers{Classes: make([]facts.ClassHistory, len(asked.Contracts)), Names: make([]string, len(asked.Selectors))}
	for _, row := range rows {
		switch {
		case row.Contract != nil:
			if row.Block == nil || row.Origin == nil || row.Class == nil {
				return chain.CallAnswers{}, &indexing.DamageError{Table: facts.TableChanges, Block: row.Block.Uint64(), What: "a class is in no dictionary"}
			}
			history := &answers.Classes[*row.Contract-1]
			*history = append(*history, facts.ClassSince{Block: uint64(*row.Block), Origin: facts.Origin(*row.Origin), Class: *row.Class})
		case row.Selector != nil && row.Name != nil:
			answers.Names[*row.Selector-1] = *row.Name
		default:
			return chain.CallAnswers{}, fmt.Errorf("got a row that is neither a class nor a name")
		}
	}
	for _, history := range answers.Classes {
		slices.SortFunc(history, oldestFirst)
	}
	return answers, nil
}

// oldestFirst orders the classes of a contract by when they came into force.
func oldestFirst(a, b facts.ClassSince) int {
	return cmp.Or(cmp.Compare(a.Block, b.Block), model.Origin(a.Origin).Compare(model.Origin(b.Origin)))
}
