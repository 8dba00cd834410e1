package repo

import (
	"context"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"astrolabe/pg/pgtest"
)

// gateway leads to a server, as a replica that can be cut off.
type gateway struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

// newGateway returns a gateway to the server of a URL, and the URL of the same
// database through it.
func newGateway(t *testing.T, address string) (*gateway, string) {
	t.Helper()
	through, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := through.Query()
	if query.Get("host") == "" {
		t.Skip("needs a server with a socket")
	}
	socket := filepath.Join(query.Get("host"), ".s.PGSQL."+query.Get("port"))
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{Listener: listener}
	t.Cleanup(g.cut)
	go func() {
		for {
			conn, err := g.Accept()
			if err != nil {
				return
			}
			server, err := new(net.Dialer).DialContext(context.Background(), "unix", socket)
			if err != nil {
				_ = conn.Close()
				continue
			}
			g.mu.Lock()
			g.conns = append(g.conns, conn, server)
			g.mu.Unlock()
			go func() { _, _ = io.Copy(server, conn); _ = server.Close() }()
			go func() { _, _ = io.Copy(conn, server); _ = conn.Close() }()
		}
	}()
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	query.Set("host", host)
	query.Set("port", port)
	query.Set("sslmode", "disable")
	through.RawQuery = query.Encode()
	return g, through.String()
}

// cut closes the gateway and its connections.
func (g *gateway) cut() {
	_ = g.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, conn := range g.conns {
		_ = conn.Close()
	}
}

// onReplica reports whether the next read uses the replica.
func onReplica(db *DB) bool { return db.Read() == db.replica.DB }

func TestReadsUseAReplicaOnlyWhileItIsCurrent(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t, migrated)
	g, through := newGateway(t, address)
	db, err := Open(t.Context(), Options{URL: address, ReadURL: through})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if onReplica(db) {
		t.Error("got the replica before any check, want the primary")
	}
	check := func(current bool) {
		t.Helper()
		CheckReplica(t.Context(), db, func(ctx context.Context, replica *bun.DB) (bool, error) {
			_, err := Select[int](ctx, replica, "/* test.check */ SELECT $1::int", 1)
			return current, err
		})
	}
	for _, current := range []bool{true, false, true} {
		if check(current); onReplica(db) != current {
			t.Errorf("got the replica used %t, want %t", !current, current)
		}
	}
	on := db.Read() // statements on their way
	g.cut()
	if err := on.RunInTx(t.Context(), Snapshot, func(context.Context, bun.Tx) error { return nil }); err != nil {
		t.Errorf("got %v, want a transaction on the primary", err)
	}
	if got, err := Select[int](t.Context(), on, "/* test.diverted */ SELECT $1::int", 7); err != nil || len(got) != 1 || got[0] != 7 {
		t.Errorf("got %v and %v from a lost replica, want 7 from the primary", got, err)
	}
	if onReplica(db) {
		t.Error("got a lost replica, want the primary")
	}
	db.replica.lostAt.Store(1) // the pause is over
	if check(true); onReplica(db) {
		t.Error("got a replica that does not answer, want the primary")
	}
	if err := db.Readable(t.Context()); err != nil {
		t.Errorf("got %v without the replica, want a readable database", err)
	}
}
