package index

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// dictionary assigns ids to the felts of one chain: addresses or selectors. It
// caches recently used ids. Cached ids are committed but may not be durable:
// see Writer.Forget.
type dictionary struct {
	table string
	known *lru.Cache[starknet.Felt, model.ID]
}

// dictionaries returns one dictionary per chain for a table.
func dictionaries(table string) map[domain.Chain]*dictionary {
	all := make(map[domain.Chain]*dictionary, len(domain.Chains))
	for _, c := range domain.Chains {
		all[c] = &dictionary{table: table, known: cache.Must(lru.New[starknet.Felt, model.ID](cachedIDs))}
	}
	return all
}

// cachedIDs is how many ids a dictionary caches.
const cachedIDs = 200_000

// remember caches committed ids.
func (d *dictionary) remember(ids map[starknet.Felt]model.ID) {
	for felt, id := range ids {
		d.known.Add(felt, id)
	}
}

// dictionaryEntry is a felt with its id.
type dictionaryEntry struct {
	ID   model.ID      `bun:"id"`
	Felt starknet.Felt `bun:"felt"`
}

// dictionaryColumns are the columns of a dictionary, in the order of its rows.
const dictionaryColumns = "chain, id, felt, checksum"

// checksum detects an entry whose felt was changed; dictionary_checksum in SQL is
// the same.
func checksum(id model.ID, felt starknet.Felt) int32 {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint32(nil, uint32(id)), felt[:]...))
	return int32(binary.BigEndian.Uint32(sum[:]))
}

// lookup resolves the felts of one transaction to ids.
type lookup struct {
	*dictionary
	chain int
	ids   map[starknet.Felt]model.ID
	asked []starknet.Felt // not recalled
	fresh map[starknet.Felt]model.ID
}

func (d *dictionary) lookup(c domain.Chain) *lookup {
	return &lookup{dictionary: d, chain: model.Code(c), ids: make(map[starknet.Felt]model.ID), fresh: make(map[starknet.Felt]model.ID)}
}

// ask requests the id of a felt.
func (l *lookup) ask(felt starknet.Felt) {
	if _, ok := l.ids[felt]; ok {
		return
	}
	id, ok := l.known.Get(felt)
	if !ok {
		l.asked = append(l.asked, felt)
	}
	l.ids[felt] = id
}

// askIf is ask for a felt that may be nil.
func (l *lookup) askIf(felt *starknet.Felt) {
	if felt != nil {
		l.ask(*felt)
	}
}

// find reads the requested ids that are not cached. Felts without an id remain
// in asked.
func (l *lookup) find(ctx context.Context, tx repo.Tx) error {
	if len(l.asked) == 0 {
		return nil
	}
	entries, err := repo.Select[dictionaryEntry](ctx, tx, fmt.Sprintf(`/* dictionary.find */
		SELECT id, felt FROM %s WHERE chain = %d AND felt = ANY($1)`, l.table, l.chain), model.Bytes(l.asked))
	if err != nil {
		return err
	}
	found := make(map[starknet.Felt]model.ID, len(l.asked))
	for _, e := range entries {
		found[e.Felt], l.ids[e.Felt] = e.ID, e.ID
	}
	l.remember(found)
	unknown := l.asked[:0]
	for _, felt := range l.asked {
		if _, ok := found[felt]; !ok {
			unknown = append(unknown, felt)
		}
	}
	l.asked = unknown
	return nil
}

// add resolves every requested felt and assigns new ids to unknown ones.
func (l *lookup) add(ctx context.Context, tx repo.Tx) error {
	if err := l.find(ctx, tx); err != nil || len(l.asked) == 0 {
		return err
	}
	var last int64
	if err := tx.NewRaw(fmt.Sprintf("/* dictionary.last */ SELECT coalesce(max(id), 0) FROM %s WHERE chain = %d", l.table, l.chain)).Scan(ctx, &last); err != nil {
		return err
	}
	var rows copyRows
	for i, felt := range l.asked {
		id := model.ID(last + int64(i) + 1)
		l.ids[felt], l.fresh[felt] = id, id
		rows.row(4)
		rows.int2(l.chain)
		rows.id(id)
		rows.bytes(felt[:])
		rows.int4(checksum(id, felt))
	}
	l.asked = nil
	return rows.into(ctx, tx, l.table, dictionaryColumns)
}

// committed caches the new ids for later transactions.
func (l *lookup) committed() { l.remember(l.fresh) }
