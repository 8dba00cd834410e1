package index

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// glossary reads a dictionary in the other direction: from ids to felts. It
// remembers what it has read, because an id never changes its meaning.
type glossary struct {
	table string
	felts map[model.ID]starknet.Felt
	asked map[model.ID]struct{}
}

func newGlossary(table string) *glossary {
	return &glossary{table: table, felts: make(map[model.ID]starknet.Felt), asked: make(map[model.ID]struct{})}
}

// ask says that an id will be looked up.
func (g *glossary) ask(id model.ID) {
	if _, ok := g.felts[id]; !ok {
		g.asked[id] = struct{}{}
	}
}

// askIf asks for an id that may be absent.
func (g *glossary) askIf(id *model.ID) {
	if id != nil {
		g.ask(*id)
	}
}

// felt returns the felt of an id, which must be asked for and loaded before.
// It is false when the dictionary does not have the id.
func (g *glossary) felt(id model.ID) (starknet.Felt, bool) {
	felt, ok := g.felts[id]
	return felt, ok
}

// feltIf does the same for an id that may be absent.
func (g *glossary) feltIf(id *model.ID) (*starknet.Felt, bool) {
	if id == nil {
		return nil, true
	}
	felt, ok := g.felts[*id]
	return &felt, ok
}

// load reads every asked id. Ids that the dictionary does not have stay
// unknown.
func (g *glossary) load(ctx context.Context, tx bun.IDB, chain int) error {
	if len(g.asked) == 0 {
		return nil
	}
	ids := make([]int32, 0, len(g.asked))
	for id := range g.asked {
		ids = append(ids, int32(id))
	}
	clear(g.asked)
	entries, err := repo.Select[dictionaryEntry](ctx, tx, fmt.Sprintf(`/* glossary.read */
		SELECT id, felt FROM %s WHERE chain = %d AND id = ANY($1)`, g.table, chain), ids)
	for _, e := range entries {
		g.felts[e.ID] = e.Felt
	}
	return err
}

// forget keeps the memory bounded; it is called between runs.
func (g *glossary) forget() {
	if len(g.felts) > rememberedIDs {
		clear(g.felts)
	}
}
