package verify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain/verify/transparency"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
)

// counted counts the statements of a log, and the rows that they read.
type counted struct {
	transparency.Store
	statements, rows int
}

// Hashes implements transparency.Store.
func (c *counted) Hashes(ctx context.Context, indexes []int64) ([]tlog.Hash, error) {
	c.statements, c.rows = c.statements+1, c.rows+len(indexes)
	return c.Store.Hashes(ctx, indexes)
}

// Checkpoint implements transparency.Store.
func (c *counted) Checkpoint(ctx context.Context, size int64) (*transparency.Checkpoint, error) {
	c.statements, c.rows = c.statements+1, c.rows+1
	return c.Store.Checkpoint(ctx, size)
}

// load stores a log of invented receipts.
func load(t *testing.T, conn *pgx.Conn, size int64) {
	t.Helper()
	var hashes [][]any
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		read := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			read[i] = tlog.Hash(hashes[index][1].([]byte))
		}
		return read, nil
	})
	for n := range size {
		added, err := tlog.StoredHashes(n, fmt.Appendf(nil, "sha256:%064x", n+1), reader)
		if err != nil {
			t.Fatal(err)
		}
		for _, hash := range added {
			hashes = append(hashes, []any{int64(len(hashes)), hash[:]})
		}
	}
	root, err := tlog.TreeHash(size, reader)
	if err != nil {
		t.Fatal(err)
	}
	c, err := logSigner(1).Sign(size, root, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.CopyFrom(t.Context(), pgx.Identifier{"verification_log_hashes"}, []string{"index", "hash"}, pgx.CopyFromRows(hashes)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "INSERT INTO verification_log_checkpoints VALUES ($1, $2, $3, $4)", size, root[:], c.Note, c.SignedAt); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "ANALYZE verification_log_hashes, verification_log_checkpoints"); err != nil {
		t.Fatal(err)
	}
}

func TestALargeLogIsReadInFewRows(t *testing.T) {
	t.Parallel()
	const size = 100_000
	db, conn := repotest.Connect(t, repotest.Migrated)
	load(t, conn, size)
	stored := store.NewLog(db)
	for name, c := range map[string]struct {
		statements, rows int // at most
		read             func(*transparency.Log) error
	}{
		"checkpoint": {1, 1, func(l *transparency.Log) error { _, err := l.Checkpoint(t.Context()); return err }},
		"full tile": {2, 257, func(l *transparency.Log) error {
			_, err := l.Tile(t.Context(), tlog.Tile{H: 8, N: 200, W: 256})
			return err
		}},
		"partial tile": {2, 161, func(l *transparency.Log) error {
			_, err := l.Tile(t.Context(), tlog.Tile{H: 8, N: 390, W: 160})
			return err
		}},
		"upper tile": {2, 135, func(l *transparency.Log) error {
			_, err := l.Tile(t.Context(), tlog.Tile{H: 8, L: 1, N: 1, W: 134})
			return err
		}},
		"inclusion":    {2, 1 + 2*17, func(l *transparency.Log) error { _, err := l.Inclusion(t.Context(), 54_321, 0); return err }},
		"last receipt": {2, 1 + 2*17, func(l *transparency.Log) error { _, err := l.Inclusion(t.Context(), size, size); return err }},
		"consistency":  {2, 1 + 2*17, func(l *transparency.Log) error { _, err := l.Consistency(t.Context(), 65_537, 0); return err }},
		"a size without a checkpoint": {2, 2, func(l *transparency.Log) error {
			if _, err := l.Inclusion(t.Context(), 1, 99_999); err == nil {
				return fmt.Errorf("got a proof, want none")
			}
			return nil
		}},
	} {
		counting := &counted{Store: stored}
		if err := c.read(transparency.NewLog(counting)); err != nil {
			t.Errorf("%s: got %v, want it read", name, err)
		}
		if counting.statements > c.statements || counting.rows > c.rows {
			t.Errorf("%s: got %d statements and %d rows, want at most %d and %d", name, counting.statements, counting.rows, c.statements, c.rows)
		}
	}
	admit(t, conn, 1, size+3) // of which the outbox should have the last three only
	if _, err := conn.Exec(t.Context(), "DELETE FROM verification_outbox WHERE receipt_id <= $1", size); err != nil {
		t.Fatal(err)
	}
	rows := 0
	_, err := stored.Grow(t.Context(), transparency.Batch, func(newest *transparency.Checkpoint, pending []transparency.Pending, reader tlog.HashReader) (*transparency.Growth, error) {
		return transparency.Grow(newest, pending, tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
			rows += len(indexes)
			return reader.ReadHashes(indexes)
		}), logSigner(1), time.Now())
	})
	if err != nil || rows > 2*17+3*17 {
		t.Errorf("got %d rows read and %v to add 3 receipts, want at most %d", rows, err, 5*17)
	}
	expectLog(t, db, conn, size+3, 0)
}

func TestStatementsOfTheLogUseItsPrimaryKeys(t *testing.T) {
	t.Parallel()
	_, conn := repotest.Connect(t, repotest.Migrated)
	load(t, conn, 5000)
	for _, c := range []struct{ statement, arguments, index string }{
		{store.LogHashes, "'{1,5,9000}'", "verification_log_hashes_pkey"},
		{store.LogNewest, "", "verification_log_checkpoints_pkey"},
		{store.LogCheckpoint, "5000", "verification_log_checkpoints_pkey"},
	} {
		if _, err := conn.Exec(t.Context(), "SET enable_seqscan = off"); err != nil { // the table of checkpoints has one row
			t.Fatal(err)
		}
		if plan := repotest.ExplainPrepared(t, conn, "EXPLAIN", c.statement, c.arguments); !strings.Contains(plan, c.index) {
			t.Errorf("got the plan\n%s\nwant one that uses %s", plan, c.index)
		}
	}
}
