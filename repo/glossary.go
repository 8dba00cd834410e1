package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/starknet"
)

// glossary reads a dictionary in the other direction: from ids to felts. It
// remembers what it has read, because an id never changes its meaning.
type glossary struct {
	table string
	felts map[int32]starknet.Felt
	asked map[int32]struct{}
}

func newGlossary(table string) *glossary {
	return &glossary{table: table, felts: make(map[int32]starknet.Felt), asked: make(map[int32]struct{})}
}

// ask says that an id will be looked up.
func (g *glossary) ask(id int32) {
	if _, ok := g.felts[id]; !ok {
		g.asked[id] = struct{}{}
	}
}

// learn reads every asked id. Ids that the dictionary does not have stay
// unknown.
func (g *glossary) learn(ctx context.Context, tx pgx.Tx, chain int) error {
	if len(g.asked) == 0 {
		return nil
	}
	ids := make([]int32, 0, len(g.asked))
	for id := range g.asked {
		ids = append(ids, id)
	}
	clear(g.asked)
	rows, err := tx.Query(ctx, fmt.Sprintf(`/* glossary.read */
		SELECT id, felt FROM %s WHERE chain = %d AND id = ANY($1)`, g.table, chain), ids)
	if err != nil {
		return err
	}
	var (
		id   int32
		felt starknet.Felt
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &felt}, func() error {
		g.felts[id] = felt
		return nil
	})
	return err
}

// forget keeps the memory bounded; it is called between chunks.
func (g *glossary) forget() {
	if len(g.felts) > rememberedWords {
		clear(g.felts)
	}
}
