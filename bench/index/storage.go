package main

import (
	"context"
	"slices"
	"strings"
)

// storage is the size of tables with their indexes on disk, in bytes.
type storage map[string]int

// storage measures every table; the tables of ranges count under their parent's
// name.
func (d *database) storage(ctx context.Context) (storage, error) {
	list, err := d.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	parents := make(map[string]string, len(list))
	for _, p := range list {
		parents[p.Name] = p.Parent
	}
	rows, err := d.Query(ctx, `
		SELECT relname, pg_total_relation_size(oid) FROM pg_class
		WHERE relkind = 'r' AND relnamespace IN (to_regnamespace('astrolabe'), to_regnamespace('public')) -- where older programs have their tables`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	sizes := make(storage)
	for rows.Next() {
		var (
			name  string
			bytes int
		)
		if err := rows.Scan(&name, &bytes); err != nil {
			return nil, err
		}
		if parent, ok := parents[name]; ok {
			name = parent
		}
		sizes[name] += bytes
	}
	return sizes, rows.Err()
}

// total returns the size of all tables.
func (s storage) total() (bytes int) {
	for _, size := range s {
		bytes += size
	}
	return bytes
}

// largest lists the tables that take at least a byte per event, by size.
func (s storage) largest(events int) []string {
	var names []string
	for name, bytes := range s {
		if bytes >= events {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if s[a] != s[b] {
			return s[b] - s[a]
		}
		return strings.Compare(a, b)
	})
	return names
}
