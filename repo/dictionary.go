package repo

import (
	"context"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/starknet"
)

// dictionary gives ids to the felts of one chain: addresses or selectors. It
// remembers the ones used lately; what it remembers is committed, which is
// less than durable: see Forget.
type dictionary struct {
	table string
	known *lru.Cache[starknet.Felt, int32]
}

// dictionaries makes one dictionary per chain over a table.
func dictionaries(table string) map[domain.Chain]*dictionary {
	all := make(map[domain.Chain]*dictionary, len(domain.Chains))
	for _, c := range domain.Chains {
		all[c] = &dictionary{table: table, known: cache.Must(lru.New[starknet.Felt, int32](rememberedWords))}
	}
	return all
}

// Forget drops what this process remembers of a chain's dictionaries. Whoever
// learns that a commit of his may be gone calls it: after a crash of the
// database, ids that were never made durable are given anew.
func (db *DB) Forget(c domain.Chain) {
	db.addresses[c].known.Purge()
	db.selectors[c].known.Purge()
}

// rememberedWords bounds the ids that a dictionary remembers.
const rememberedWords = 200_000

// remember keeps words that are committed.
func (d *dictionary) remember(words map[starknet.Felt]int32) {
	for felt, id := range words {
		d.known.Add(felt, id)
	}
}

// words are the ids of one transaction's felts.
type words struct {
	*dictionary
	chain int
	ids   map[starknet.Felt]int32
	asked []starknet.Felt // not recalled
	fresh map[starknet.Felt]int32
}

func (d *dictionary) words(c domain.Chain) *words {
	return &words{dictionary: d, chain: chainCode(c), ids: make(map[starknet.Felt]int32), fresh: make(map[starknet.Felt]int32)}
}

// ask says that the felt's id will be needed.
func (w *words) ask(felt starknet.Felt) {
	if _, ok := w.ids[felt]; ok {
		return
	}
	id, ok := w.known.Get(felt)
	if !ok {
		w.asked = append(w.asked, felt)
	}
	w.ids[felt] = id
}

// askIf asks for a felt that may be absent.
func (w *words) askIf(felt *starknet.Felt) {
	if felt != nil {
		w.ask(*felt)
	}
}

// find reads the ids of the felts that were not recalled. Felts without an id
// stay asked.
func (w *words) find(ctx context.Context, tx pgx.Tx) error {
	if len(w.asked) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`/* dictionary.find */
		SELECT id, felt FROM %s WHERE chain = %d AND felt = ANY($1)`, w.table, w.chain),
		pgx.QueryExecModeCacheStatement, feltBytes(w.asked))
	if err != nil {
		return err
	}
	var (
		id   int32
		felt starknet.Felt
	)
	found := make(map[starknet.Felt]int32, len(w.asked))
	if _, err := pgx.ForEachRow(rows, []any{&id, &felt}, func() error {
		found[felt], w.ids[felt] = id, id
		return nil
	}); err != nil {
		return err
	}
	w.remember(found)
	unknown := w.asked[:0]
	for _, felt := range w.asked {
		if _, ok := found[felt]; !ok {
			unknown = append(unknown, felt)
		}
	}
	w.asked = unknown
	return nil
}

// add finds every asked felt and gives new ids to the unknown ones.
func (w *words) add(ctx context.Context, tx pgx.Tx) error {
	if err := w.find(ctx, tx); err != nil || len(w.asked) == 0 {
		return err
	}
	var last int32
	if err := tx.QueryRow(ctx, fmt.Sprintf("/* dictionary.last */ SELECT coalesce(max(id), 0) FROM %s WHERE chain = %d", w.table, w.chain)).Scan(&last); err != nil {
		return err
	}
	var rows copyRows
	for _, felt := range w.asked {
		last++
		w.ids[felt], w.fresh[felt] = last, last
		rows.row(3)
		rows.int2(w.chain)
		rows.int4(last)
		rows.bytes(felt[:])
	}
	w.asked = nil
	return rows.into(ctx, tx, w.table, "chain, id, felt")
}

// committed keeps the new ids for later transactions.
func (w *words) committed() { w.remember(w.fresh) }

func feltBytes(felts []starknet.Felt) [][]byte {
	list := make([][]byte, len(felts))
	for i := range felts {
		list[i] = felts[i][:]
	}
	return list
}
