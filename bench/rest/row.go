package main

import (
	"context"
	"fmt"
	"os"

	"astrolabe/bench/load"
)

// oneRow is the script that reads a row by its key.
const oneRow = "row"

// newRow creates a table with one row per request, as long as its response
// body, and the script with which pgbench reads any of them by key. That is the
// minimal cost of reading as many bytes from Postgres. The bytes are stored
// uncompressed.
func (b *bench) newRow(ctx context.Context, name string, requests []load.Request) (p *pgbench, average int, err error) {
	p = &pgbench{b.db.URL, b.work, "bench_row_" + name}
	sizes := make([]int, len(requests))
	for i, r := range requests {
		body, _, err := answer(ctx, r)
		if err != nil {
			return nil, 0, err
		}
		sizes[i] = len(body)
		average += len(body)
	}
	for _, s := range []struct {
		sql       string
		arguments []any
	}{
		{sql: "CREATE TABLE %s (n bigint PRIMARY KEY, body text)"},
		{sql: "ALTER TABLE %s ALTER COLUMN body SET STORAGE EXTERNAL"},
		{sql: "INSERT INTO %s SELECT n, repeat('x', size) FROM unnest($1::integer[]) WITH ORDINALITY AS sizes (size, n)", arguments: []any{sizes}},
		{sql: "VACUUM (ANALYZE) %s"},
	} {
		if _, err := b.db.Exec(ctx, fmt.Sprintf(s.sql, p.name), s.arguments...); err != nil {
			return nil, 0, err
		}
	}
	script := fmt.Sprintf("\\set n random(1, %d)\nSELECT body FROM %s WHERE n = :n;\n", len(requests), p.name)
	return p, average / len(requests), os.WriteFile(p.file(oneRow), []byte(script), 0o600)
}
