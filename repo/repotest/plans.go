package repotest

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"astrolabe/repo"
)

// Recorded runs act and returns the statements, with arguments and by name,
// that bun sent meanwhile on the connections that may write. No other test may
// use the database.
func Recorded(t testing.TB, db *repo.DB, act func()) map[string]string {
	t.Helper()
	recorder := &recorder{statements: make(map[string]string)}
	db.Write().AddQueryHook(recorder)  //nolint:staticcheck // The repositories have the handle already.
	defer db.Write().ResetQueryHooks() //nolint:staticcheck // As above.
	act()
	return recorder.statements
}

type recorder struct {
	mu         sync.Mutex
	statements map[string]string
}

// BeforeQuery implements bun.QueryHook.
func (r *recorder) BeforeQuery(ctx context.Context, event *bun.QueryEvent) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statements[repo.StatementName(event.Query)] = event.Query
	return ctx
}

// AfterQuery implements bun.QueryHook.
func (r *recorder) AfterQuery(context.Context, *bun.QueryEvent) {}

// Explain returns the plan of a bun statement, in a transaction with the given
// settings, each in the syntax of SET LOCAL: enable_sort = off.
func Explain(t testing.TB, db *repo.DB, statement string, settings ...string) string {
	t.Helper()
	var plan []string
	err := db.Write().RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		for _, setting := range settings {
			if _, err := tx.Tx.ExecContext(ctx, "SET LOCAL "+setting); err != nil {
				return err
			}
		}
		rows, err := tx.Tx.QueryContext(ctx, "EXPLAIN "+statement)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				return err
			}
			plan = append(plan, line)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatalf("explain %s: %v", statement, err)
	}
	return strings.Join(plan, "\n")
}

// ExplainPrepared returns the plan of a prepared statement with the arguments,
// written in SQL. The command is EXPLAIN with its options.
func ExplainPrepared(t testing.TB, conn *pgx.Conn, command, statement, arguments string) string {
	t.Helper()
	if _, err := conn.Prepare(t.Context(), "explained", statement); err != nil {
		t.Fatal(err, statement)
	}
	defer func() { _ = conn.Deallocate(t.Context(), "explained") }()
	if arguments != "" {
		arguments = "(" + arguments + ")"
	}
	rows, err := conn.Query(t.Context(), command+" EXECUTE explained "+arguments, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err, statement)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err, statement)
	}
	return strings.Join(lines, "\n")
}
