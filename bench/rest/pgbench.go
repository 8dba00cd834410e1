package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/repo"
)

// pgbench runs the statements of requests. It draws the next request from a
// table of their arguments; the cost of drawing is measured separately and
// subtracted.
type pgbench struct {
	url, folder string
	name        string // of the table and the scripts
}

// The scripts.
const (
	onlyDraw  = "draw"     // only draws a request
	oneByOne  = "single"   // waits for each statement's result
	asService = "pipeline" // pipelines the statements that the service pipelines
)

// newPgbench stores the arguments of requests of one shape and writes the
// scripts.
func (b *bench) newPgbench(ctx context.Context, name string, requests [][]trip) (*pgbench, error) {
	p := &pgbench{b.db.URL, b.work, "bench_" + name}
	var (
		columns          []string
		single, pipeline strings.Builder
	)
	for _, t := range requests[0] {
		pipeline.WriteString("\\startpipeline\n")
		for _, s := range t {
			text := s.script(len(columns))
			for range s.Arguments {
				columns = append(columns, fmt.Sprintf("a%d", len(columns)+1))
			}
			single.WriteString(text)
			pipeline.WriteString(text)
		}
		pipeline.WriteString("\\endpipeline\n")
	}
	draw := fmt.Sprintf("\\set n random(1, %d)\nSELECT %s FROM %s WHERE n = :n \\gset\n", len(requests), strings.Join(columns, ", "), p.name)
	for script, text := range map[string]string{onlyDraw: draw, oneByOne: draw + single.String(), asService: draw + pipeline.String()} {
		if err := os.WriteFile(p.file(script), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return p, b.storeArguments(ctx, p.name, columns, requests)
}

var placeholder = regexp.MustCompile(`\$(\d+)`)

// script returns the statement with pgbench variables, numbered from first,
// instead of its parameters.
func (s statement) script(first int) string {
	return placeholder.ReplaceAllStringFunc(s.SQL, func(p string) string {
		n, _ := strconv.Atoi(p[1:])
		return fmt.Sprintf(":a%d", first+n)
	}) + ";\n"
}

// storeArguments fills the table that pgbench draws from.
func (b *bench) storeArguments(ctx context.Context, table string, columns []string, requests [][]trip) error {
	if _, err := b.db.Exec(ctx, fmt.Sprintf("CREATE TABLE %s (n integer PRIMARY KEY, %s text)", table, strings.Join(columns, " text, "))); err != nil {
		return err
	}
	_, err := b.db.CopyFrom(ctx, pgx.Identifier{table}, append([]string{"n"}, columns...), pgx.CopyFromSlice(len(requests), func(i int) ([]any, error) {
		row := []any{i + 1}
		for _, t := range requests[i] {
			for _, s := range t {
				for _, argument := range s.Arguments {
					row = append(row, argument)
				}
			}
		}
		return row, nil
	}))
	if err != nil {
		return err
	}
	_, err = b.db.Exec(ctx, "ANALYZE "+table)
	return err
}

func (p *pgbench) file(script string) string { return filepath.Join(p.folder, p.name+"."+script) }

var transactionsPerSecond = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)

// run returns the requests per second of a script.
func (p *pgbench) run(ctx context.Context, script string, lasts time.Duration) (float64, error) {
	command := exec.CommandContext(ctx, "pgbench", "--no-vacuum", "--protocol=prepared", //nolint:gosec // our own arguments
		"--client="+strconv.Itoa(connections), "--jobs=2", "--time="+strconv.Itoa(int(lasts.Seconds())), "--file="+p.file(script), p.url)
	command.Env = append(os.Environ(), "PGOPTIONS="+readerOptions())
	output, err := command.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w: %s", err, output)
	}
	found := transactionsPerSecond.FindSubmatch(output)
	if found == nil {
		return 0, fmt.Errorf("pgbench printed %s", output)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

// readerOptions are the connection settings of the service.
func readerOptions() string {
	settings := repo.ReaderSettings()
	var options []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		options = append(options, "-c "+name+"="+strings.ReplaceAll(settings[name], " ", `\ `))
	}
	return strings.Join(options, " ")
}

// without subtracts the cost of drawing from a rate.
func without(draw, rate float64) float64 { return 1 / (1/rate - 1/draw) }
