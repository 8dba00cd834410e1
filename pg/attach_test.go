package pg_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
)

func TestAttachReachesTheServerOfAnotherProgram(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(pgtest.Dir(t), "postgres")
	if url, err := pg.Attach(t.Context(), dir, "postgres"); err == nil {
		t.Errorf("before the start: got %s, want an error", url)
	}
	server, err := pg.Start(t.Context(), pg.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Stop(context.WithoutCancel(t.Context())) }()
	execute(t, server, "CREATE ROLE "+pg.ServiceRole+" LOGIN") // as a program does
	url, err := pg.Attach(t.Context(), dir, "postgres")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if url, err := pg.Attach(t.Context(), dir, "postgres"); err == nil {
		t.Errorf("after the stop: got %s, want an error", url)
	}
}
