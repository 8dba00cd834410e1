package index

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// glossary resolves the ids of a dictionary to felts. It caches what it has
// read, because the felt of an id never changes.
type glossary struct {
	table string
	felts map[model.ID]starknet.Felt
	asked map[model.ID]struct{}
}

func newGlossary(table string) *glossary {
	return &glossary{table: table, felts: make(map[model.ID]starknet.Felt), asked: make(map[model.ID]struct{})}
}

// ask requests the felt of an id.
func (g *glossary) ask(id model.ID) {
	if _, ok := g.felts[id]; !ok {
		g.asked[id] = struct{}{}
	}
}

// askIf is ask for an id that may be nil.
func (g *glossary) askIf(id *model.ID) {
	if id != nil {
		g.ask(*id)
	}
}

// felt returns the felt of an id, which must have been requested and loaded
// before. It returns false if the dictionary does not have the id.
func (g *glossary) felt(id model.ID) (starknet.Felt, bool) {
	felt, ok := g.felts[id]
	return felt, ok
}

// feltIf is felt for an id that may be nil.
func (g *glossary) feltIf(id *model.ID) (*starknet.Felt, bool) {
	if id == nil {
		return nil, true
	}
	felt, ok := g.felts[*id]
	return &felt, ok
}

// load reads every requested id. Ids that the dictionary does not have stay
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

// forget limits the cache; it is called between runs.
func (g *glossary) forget() {
	if len(g.felts) > cachedIDs {
		clear(g.felts)
	}
}
