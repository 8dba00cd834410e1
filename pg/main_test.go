package pg_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
)

// markedSecret is in the environment of every program under test.
const markedSecret = "marked-secret-7c1e"

func TestMain(m *testing.M) {
	if err := os.Setenv("ASTROLABE_MARKED", markedSecret); err != nil {
		panic(err)
	}
	if dir := os.Getenv(childFolder); dir != "" {
		dieAt(dir, os.Getenv(childStep))
	}
	goleak.VerifyTestMain(m)
}

// existing returns a folder with a cluster.
func existing(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join(pgtest.Dir(tb), "data")
	pgtest.Cluster(tb, dir)
	return dir
}

// quick disables durability, which a temporary folder does not need.
var quick = map[string]string{"fsync": "off"}

// start runs a server until the end of the test.
func start(tb testing.TB, o pg.Options) *pg.Server {
	tb.Helper()
	if o.Settings == nil {
		o.Settings = quick
	}
	server, err := pg.Start(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { stop(tb, server) })
	return server
}

func stop(tb testing.TB, server *pg.Server) {
	tb.Helper()
	if err := server.Stop(context.Background()); err != nil {
		tb.Fatal(err)
	}
}

func connect(tb testing.TB, server *pg.Server) *pgx.Conn {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), server.URL("postgres"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func execute(tb testing.TB, server *pg.Server, statement string) {
	tb.Helper()
	if _, err := connect(tb, server).Exec(tb.Context(), statement); err != nil {
		tb.Fatal(err)
	}
}

func value[T any](tb testing.TB, server *pg.Server, query string) T {
	tb.Helper()
	var result T
	if err := connect(tb, server).QueryRow(tb.Context(), query).Scan(&result); err != nil {
		tb.Fatal(err)
	}
	return result
}

// record is a logger whose text a test can read while the server writes.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(line)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *record) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root drops to another user")
	}
}
