package index

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"astrolabe/domain/indexing"
)

// leafTable is the table of a partition according to the Postgres catalogue.
type leafTable struct {
	name    string
	parent  string // empty if not attached
	bound   string
	indexes map[string]leafIndex
}

type leafIndex struct {
	columns       string
	unique, valid bool
}

// partitions compares the recorded partitions with the existing tables.
func (f fsck) partitions(ctx context.Context, tx bun.IDB, limit int) ([]indexing.Finding, error) {
	ranges, err := rangesAfter(ctx, tx, f.chain, -1)
	if err != nil {
		return nil, err
	}
	tables, err := f.leafTables(ctx, tx)
	if err != nil {
		return nil, err
	}
	var first, last *int64
	if err := tx.NewRaw(`/* fsck.first */ SELECT min(first_block), max(block) FROM index_checkpoints WHERE chain = ?`, f.code).Scan(ctx, &first, &last); err != nil {
		return nil, err
	}
	findings := f.entries(ranges, last, tables)
	if len(findings) > 0 { // tables cannot be compared with wrong entries
		return findings[:min(limit, len(findings))], nil
	}
	findings = f.contiguous(ranges, first)
	for _, r := range ranges {
		for _, table := range rangeTables {
			name := leaf(table.name, f.chain, r.From)
			findings = append(findings, f.leaf(table, r, last, tables[name])...)
			delete(tables, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		findings = append(findings, indexing.Finding{
			Check: "partitions", Detail: fmt.Sprintf("table %s belongs to no partition", name), Repair: "DROP TABLE " + name,
		})
	}
	return findings[:min(limit, len(findings))], nil
}

// contiguous finds gaps and overlaps between partitions. Their entries agree
// with the tables, so that whole partitions are lost.
func (f fsck) contiguous(ranges []indexing.Range, first *int64) (findings []indexing.Finding) {
	wrong := func(block uint64, repair, format string, args ...any) {
		findings = append(findings, indexing.Finding{Check: "partitions", Block: &block, Detail: fmt.Sprintf(format, args...), Repair: repair})
	}
	advice := indexing.Advice(f.chain)
	for i, r := range ranges {
		switch {
		case first == nil:
			wrong(r.From, advice.Checkpoint(), "there is a partition from %d on, but no checkpoint", r.From)
		case i == 0 && int64(r.From) != *first:
			wrong(r.From, advice.Checkpoint(), "the first partition begins with %d instead of %d", r.From, *first)
		case i > 0 && ranges[i-1].To != r.From:
			wrong(min(r.From, ranges[i-1].To), advice.Rollback(min(r.From, ranges[i-1].To), ranges[0].From),
				"the partition from %d on ends before %d, the next begins with %d", ranges[i-1].From, ranges[i-1].To, r.From)
		}
	}
	return findings
}

// leaf compares one table with its partition.
func (f fsck) leaf(table rangeTable, r indexing.Range, last *int64, have *leafTable) (findings []indexing.Finding) {
	name := leaf(table.name, f.chain, r.From)
	wrong := func(repair, format string, args ...any) {
		findings = append(findings, indexing.Finding{Check: "partitions", Block: &r.From, Detail: fmt.Sprintf(format, args...), Repair: repair})
	}
	if have == nil {
		to := r.From
		if last != nil {
			to = max(to, uint64(*last))
		}
		if r.To != 0 {
			to = min(to, r.To-1)
		}
		wrong(indexing.Advice(f.chain).Block(r.From, to), "the table %s does not exist", name)
		return findings
	}
	parent, bound := "", ""
	if r.State == indexing.RangeReady {
		parent, bound = fmt.Sprintf("%s_%d", table.name, f.code), fmt.Sprintf("FOR VALUES FROM (%d) TO (%d)", r.From, r.To)
	}
	if have.parent != parent || have.bound != bound {
		var repair []string
		if have.parent != "" {
			repair = append(repair, fmt.Sprintf("ALTER TABLE %s DETACH PARTITION %s", have.parent, name))
		}
		if parent != "" {
			repair = append(repair, fmt.Sprintf("ALTER TABLE %s ATTACH PARTITION %s %s", parent, name, bound))
		}
		wrong(strings.Join(repair, "; "), "the table %s of a %s partition is attached as %q, expected %q", name, r.State, strings.TrimSpace(have.parent+" "+have.bound), strings.TrimSpace(parent+" "+bound))
	}
	for _, index := range table.indexes {
		want, is := name+"_"+index.name, have.indexes[name+"_"+index.name]
		delete(have.indexes, want)
		switch {
		case r.State == indexing.RangeLoading && is.columns != "":
			wrong("DROP INDEX "+want, "the loading table %s has the index %s", name, want)
		case r.State == indexing.RangeReady && is != leafIndex{index.all(), index.unique, true}:
			repair := strings.TrimPrefix(index.create(name), "/* range.index */ ")
			if is.columns != "" {
				repair = "DROP INDEX " + want + "; " + repair
			}
			wrong(repair, "the index %s is missing, invalid or defined differently", want)
		}
	}
	for _, extra := range slices.Sorted(maps.Keys(have.indexes)) {
		wrong("DROP INDEX "+extra, "the table %s has the index %s, which is not declared", name, extra)
	}
	return findings
}

// leafTables reads the tables of all partitions from the catalogue.
func (f fsck) leafTables(ctx context.Context, tx bun.IDB) (map[string]*leafTable, error) {
	names := make([]string, len(rangeTables))
	for i := range rangeTables {
		names[i] = rangeTables[i].name
	}
	var rows []struct {
		Name    string `bun:"name"`
		Parent  string `bun:"parent"`
		Bound   string `bun:"bound"`
		Index   string `bun:"index_name"`
		Unique  bool   `bun:"is_unique"`
		Valid   bool   `bun:"is_valid"`
		Columns string `bun:"columns"`
	}
	err := tx.NewRaw(`/* fsck.tables */
		SELECT t.relname::text AS name, coalesce(p.relname::text, '') AS parent, coalesce(pg_get_expr(t.relpartbound, t.oid), '') AS bound,
			coalesce(i.relname::text, '') AS index_name, coalesce(x.indisunique, false) AS is_unique,
			coalesce(x.indisvalid AND x.indisready, false) AS is_valid,
			coalesce((SELECT string_agg(a.attname, ', ' ORDER BY k.place) FROM unnest(x.indkey::smallint[]) WITH ORDINALITY AS k (column_number, place)
				JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.column_number), '') AS columns
		FROM pg_class t
		LEFT JOIN pg_inherits h ON h.inhrelid = t.oid
		LEFT JOIN pg_class p ON p.oid = h.inhparent
		LEFT JOIN pg_index x ON x.indrelid = t.oid
		LEFT JOIN pg_class i ON i.oid = x.indexrelid
		WHERE t.relkind = 'r' AND t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'blocks'::regclass)
			AND t.relname ~ ?`, fmt.Sprintf("^(%s)_%d_[0-9]+$", strings.Join(names, "|"), f.code)).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	tables := make(map[string]*leafTable)
	for _, row := range rows {
		if tables[row.Name] == nil {
			tables[row.Name] = &leafTable{row.Name, row.Parent, row.Bound, make(map[string]leafIndex)}
		}
		if row.Index != "" {
			tables[row.Name].indexes[row.Index] = leafIndex{row.Columns, row.Unique, row.Valid}
		}
	}
	return tables, nil
}
