package index

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/domain/indexing"
)

// entries finds rows of index_ranges that contradict the tables of their range.
// State and attachment change in one transaction, so all tables of a range
// together tell what its row said. last is the block of the checkpoint, if there
// is one.
func (f fsck) entries(ranges []indexing.Range, last *int64, tables map[string]*leafTable) (findings []indexing.Finding) {
	wrong := func(block uint64, repair, format string, args ...any) {
		findings = append(findings, indexing.Finding{Check: "partitions", Block: &block, Detail: fmt.Sprintf(format, args...), Repair: repair})
	}
	listed := make(map[uint64]bool, len(ranges))
	for _, r := range ranges {
		listed[r.From] = true
	}
	lost := f.unlisted(tables, listed)
	for _, r := range ranges {
		is, complete := f.catalogued(tables, r.From)
		where := fmt.Sprintf("WHERE chain = %d AND from_block = %d", f.code, r.From)
		switch {
		case !complete && len(lost) > 0 && !f.hasTables(tables, r.From):
			from := lost[0]
			lost = lost[1:]
			wrong(r.From, fmt.Sprintf("UPDATE index_ranges SET from_block = %d %s", from, where), "the partition from block %d on has no tables, but there are tables of a partition from block %d on", r.From, from)
		case !f.hasTables(tables, r.From) && f.needless(ranges, r, last, tables):
			wrong(r.From, "DELETE FROM index_ranges "+where, "the partition from block %d on has no tables, and no indexed block belongs to it alone", r.From)
		case complete && is.State == indexing.RangeReady && (r.State != is.State || r.To != is.To):
			wrong(r.From, fmt.Sprintf("UPDATE index_ranges SET state = 'ready', to_block = %d %s", is.To, where),
				"the partition from block %d on is %s and ends before %d, but its tables are attached up to %d", r.From, r.State, r.To, is.To)
		case complete && is.State == indexing.RangeLoading && (r.State == indexing.RangeReady || r.State == indexing.RangeLoading && r.To != 0):
			wrong(r.From, "UPDATE index_ranges SET state = 'loading', to_block = NULL "+where,
				"the partition from block %d on is %s and ends before %d, but its tables are neither attached nor indexed", r.From, r.State, r.To)
		}
	}
	for _, from := range lost {
		is, _ := f.catalogued(tables, from)
		to := "NULL"
		if is.To != 0 {
			to = fmt.Sprint(is.To)
		}
		wrong(from, fmt.Sprintf("INSERT INTO index_ranges (chain, from_block, to_block, state, events) SELECT %d, %d, %s, '%s', count(*) FROM %s",
			f.code, from, to, is.State, leaf("events", f.chain, from)), "there are tables of a partition from block %d on, but no such partition", from)
	}
	return findings
}

// needless reports whether a range without tables holds no blocks: it begins
// after the checkpoint, or within a range that has tables.
func (f fsck) needless(ranges []indexing.Range, r indexing.Range, last *int64, tables map[string]*leafTable) bool {
	if last != nil && int64(r.From) > *last {
		return true
	}
	return slices.ContainsFunc(ranges, func(other indexing.Range) bool {
		if is, complete := f.catalogued(tables, other.From); complete {
			other = is
		}
		return other.From < r.From && (other.To == 0 || r.From < other.To) && f.hasTables(tables, other.From)
	})
}

// catalogued returns a range as its tables are: ready if all are attached with
// the same bounds, loading if none is attached or indexed. It is false if they
// differ or do not all exist.
func (f fsck) catalogued(tables map[string]*leafTable, from uint64) (indexing.Range, bool) {
	bound, attached, indexed := "", 0, 0
	for i, table := range rangeTables {
		have := tables[leaf(table.name, f.chain, from)]
		if have == nil || i > 0 && have.bound != bound {
			return indexing.Range{}, false
		}
		bound = have.bound
		if have.parent != "" {
			attached++
		}
		indexed += len(have.indexes)
	}
	r := indexing.Range{From: from, State: indexing.RangeReady}
	if attached == len(rangeTables) {
		_, err := fmt.Sscanf(strings.NewReplacer("(", "", ")", "").Replace(bound), "FOR VALUES FROM %d TO %d", &r.From, &r.To)
		return r, err == nil
	}
	r.State = indexing.RangeLoading
	return r, attached == 0 && indexed == 0
}

// unlisted returns the ranges with all tables but no row, oldest first.
func (f fsck) unlisted(tables map[string]*leafTable, listed map[uint64]bool) (lost []uint64) {
	for name := range tables {
		var from uint64
		if _, err := fmt.Sscanf(name, fmt.Sprintf("blocks_%d_%%d", f.code), &from); err != nil || listed[from] {
			continue
		}
		if _, complete := f.catalogued(tables, from); complete {
			lost = append(lost, from)
		}
	}
	slices.Sort(lost)
	return lost
}

func (f fsck) hasTables(tables map[string]*leafTable, from uint64) bool {
	return slices.ContainsFunc(rangeTables, func(t rangeTable) bool { return tables[leaf(t.name, f.chain, from)] != nil })
}
