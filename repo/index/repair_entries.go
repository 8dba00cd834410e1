package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// idColumn is a column that holds ids of a dictionary.
type idColumn struct{ table, column, dictionary string }

// rangeIDs are the columns of range tables with ids.
var rangeIDs = []idColumn{
	{"transactions", "sender", "addresses"}, {"transactions", "contract", "addresses"}, {"transactions", "selector", "selectors"},
	{"events", "address", "addresses"}, {"events", "selector", "selectors"},
	{"messages", "contract", "addresses"}, {"messages", "selector", "selectors"},
	{"transfers", "token", "addresses"}, {"transfers", "sender", "addresses"}, {"transfers", "receiver", "addresses"},
	{"activity", "address", "addresses"},
}

// contractIDs are the columns with ids of the other tables that have a block.
var contractIDs = []idColumn{
	{"contract_classes", "address", "addresses"}, {"deployments", "address", "addresses"}, {"deployments", "deployer", "addresses"}, {"tokens", "address", "addresses"},
	{"contract_implementations", "address", "addresses"}, {"contract_implementations", "contract", "addresses"}, {"untyped_transfers", "address", "addresses"},
	{"privacy_events", "pool", "addresses"}, {"privacy_events", "party", "addresses"}, {"privacy_events", "token", "addresses"},
	{"contract_classes", "class", "classes"}, {"deployments", "class", "classes"}, {"declarations", "class", "classes"},
	{"contract_implementations", "class", "classes"},
}

// schemaIDs are the columns with ids of the tables that belong to classes.
var schemaIDs = []idColumn{
	{"event_schemas", "selector", "selectors"}, {"function_schemas", "selector", "selectors"},
	{"event_schemas", "class", "classes"}, {"function_schemas", "class", "classes"},
}

// dictionaryFelt names the column with the felt of a dictionary's entries.
var dictionaryFelt = map[string]string{"addresses": "felt", "selectors": "felt", "classes": "hash"}

// Entries repairs entries of dictionaries, as the holder of a lease. Without the
// lease, every method that writes returns indexing.ErrLeaseLost and changes
// nothing.
type Entries struct{ writer *Writer }

// NewEntries returns the repository of dictionary entries.
func NewEntries(db *repo.DB) Entries { return Entries{NewWriter(db)} }

// Entry returns an entry of a dictionary and the blocks and classes that use it.
func (r Entries) Entry(ctx context.Context, c domain.Chain, dictionary string, id int64) (indexing.Entry, error) {
	entry := indexing.Entry{Dictionary: dictionary, ID: id}
	felt, known := dictionaryFelt[dictionary]
	if !known {
		return entry, fmt.Errorf("%s is not a dictionary", dictionary)
	}
	err := r.writer.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
		sum := "checksum"
		if dictionary == "classes" {
			sum = "NULL::integer AS checksum"
		}
		var row struct {
			Felt []byte `bun:"felt"`
			Sum  *int64 `bun:"checksum"`
			Twin bool   `bun:"twin"`
		}
		err := tx.NewRaw(fmt.Sprintf(`/* entry.read */
			SELECT %[3]s AS felt, %[4]s, EXISTS (SELECT FROM %[2]s o WHERE o.chain = %[1]d AND o.%[3]s = d.%[3]s AND o.id <> d.id) AS twin
			FROM %[2]s d WHERE chain = %[1]d AND id = ?`, model.Code(c), dictionary, felt, sum), id).Scan(ctx, &row)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if value, invalid := starknet.FeltFromBytes(row.Felt); err == nil && invalid == nil && len(row.Felt) == 32 {
			entry.Felt = &value
		}
		entry.Sum, entry.Twin = row.Sum, row.Twin
		if entry.Blocks, err = blocksUsing(ctx, tx, c, dictionary, id); err != nil {
			return err
		}
		entry.Classes, err = classesUsing(ctx, tx, c, dictionary, id)
		return err
	})
	return entry, repo.Outage(err)
}

// blocksUsing returns the blocks with rows that hold an id, in order.
func blocksUsing(ctx context.Context, tx bun.IDB, c domain.Chain, dictionary string, id int64) ([]uint64, error) {
	ranges, err := rangesAfter(ctx, tx, c, -1)
	if err != nil {
		return nil, err
	}
	exist, err := existing(ctx, tx, c, ranges)
	if err != nil {
		return nil, err
	}
	var queries []string
	add := func(table, column, condition string) {
		queries = append(queries, fmt.Sprintf("SELECT block FROM %s WHERE %s = %d%s", table, column, id, condition))
	}
	for _, r := range ranges {
		for _, used := range rangeIDs {
			if name := leaf(used.table, c, r.From); used.dictionary == dictionary && exist[name] {
				add(name, used.column, "")
			}
		}
	}
	for _, used := range contractIDs {
		if used.dictionary == dictionary {
			add(used.table, used.column, fmt.Sprintf(" AND chain = %d", model.Code(c)))
		}
	}
	return numbers(ctx, tx, "/* entry.blocks */ SELECT DISTINCT block FROM ("+strings.Join(queries, " UNION ALL ")+") AS used ORDER BY block")
}

// numbers reads block numbers.
func numbers(ctx context.Context, tx bun.IDB, query string, args ...any) ([]uint64, error) {
	found, err := repo.Select[model.BlockNumber](ctx, tx, query, args...)
	list := make([]uint64, len(found))
	for i := range found {
		list[i] = uint64(found[i])
	}
	return list, err
}

// classesUsing returns the hashes of the classes whose schemas hold a selector.
func classesUsing(ctx context.Context, tx bun.IDB, c domain.Chain, dictionary string, id int64) (hashes []starknet.Felt, err error) {
	if dictionary != "selectors" {
		return nil, nil
	}
	for _, used := range schemaIDs {
		if used.dictionary != dictionary {
			continue
		}
		found, err := repo.Select[starknet.Felt](ctx, tx, fmt.Sprintf(`/* entry.classes */
			SELECT DISTINCT k.hash FROM %[2]s s JOIN classes k ON k.chain = %[1]d AND k.id = s.class
			WHERE s.chain = %[1]d AND s.%[3]s = $1`, model.Code(c), used.table, used.column), id)
		if err != nil {
			return nil, err
		}
		hashes = append(hashes, found...)
	}
	slices.SortFunc(hashes, starknet.Felt.Cmp)
	return slices.Compact(hashes), nil
}

// Unknown returns those of the felts that have no entry in a dictionary.
func (r Entries) Unknown(ctx context.Context, c domain.Chain, dictionary string, felts []starknet.Felt) ([]starknet.Felt, error) {
	return repo.Select[starknet.Felt](ctx, r.writer.db.Write(), fmt.Sprintf(`/* entry.unknown */
		SELECT DISTINCT felt FROM unnest($1::bytea[]) AS felt
		WHERE NOT EXISTS (SELECT FROM %[2]s d WHERE d.chain = %[1]d AND d.%[3]s = felt) ORDER BY felt`,
		model.Code(c), dictionary, dictionaryFelt[dictionary]), model.Bytes(felts))
}

// Fits reports whether the checksum of an entry is that of a felt.
func (r Entries) Fits(entry indexing.Entry, felt starknet.Felt) bool {
	return entry.Sum != nil && *entry.Sum == int64(checksum(model.ID(entry.ID), felt))
}

// SetEntry gives an id its felt back. Another entry that wrongly has the felt gets
// a value that is no felt, and keeps its checksum, which leads to its own repair.
func (r Entries) SetEntry(ctx context.Context, lease indexing.Lease, entry indexing.Entry, felt starknet.Felt) error {
	return r.writer.lead(ctx, lease, func(tx repo.Tx) error {
		_, err := tx.NewRaw(fmt.Sprintf(`/* entry.evict */
			UPDATE %s SET felt = decode(repeat('ff', 28), 'hex') || int4send(id)
			WHERE chain = ? AND felt = ? AND id <> ? AND checksum <> dictionary_checksum(id, felt)`, entry.Dictionary),
			model.Code(lease.Chain), felt, entry.ID).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw(fmt.Sprintf(`/* entry.set */
			INSERT INTO %s (chain, id, felt, checksum) VALUES (?, ?, ?, ?)
			ON CONFLICT (chain, id) DO UPDATE SET felt = excluded.felt, checksum = excluded.checksum`, entry.Dictionary),
			model.Code(lease.Chain), entry.ID, felt, checksum(model.ID(entry.ID), felt)).Exec(ctx)
		if err != nil {
			return err
		}
		return repo.AdvanceEpoch(ctx, tx, lease.Chain)
	})
}

// RemoveEntry deletes an entry; rows that use it must be repaired next.
func (r Entries) RemoveEntry(ctx context.Context, lease indexing.Lease, entry indexing.Entry) error {
	return r.writer.lead(ctx, lease, func(tx repo.Tx) error {
		if entry.Dictionary == "classes" {
			for _, table := range []string{"event_schemas", "function_schemas"} {
				if err := run(ctx, tx, "/* entry.schemas */ DELETE FROM %s WHERE chain = %d AND class = %d", table, model.Code(lease.Chain), entry.ID); err != nil {
					return err
				}
			}
		}
		return run(ctx, tx, "/* entry.remove */ DELETE FROM %s WHERE chain = %d AND id = %d", entry.Dictionary, model.Code(lease.Chain), entry.ID)
	})
}
