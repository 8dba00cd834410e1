package graph

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/pg/pgtest"
	"astrolabe/polltest"
	"astrolabe/repo"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

// lockTable makes every statement that reads a table wait until the test ends.
func lockTable(t *testing.T, url, table string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "BEGIN; LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	return conn
}

// serveURL serves a copy of a template and returns its URL.
func serveURL(t *testing.T, template pgtest.Template, change func(*repo.DB, *Options)) (*servedGraph, string) {
	t.Helper()
	url := pgtest.Database(t, template)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return serveOver(t, db, time.Now, func(o *Options) {
		o.Chains = []domain.Chain{domain.Mainnet}
		change(db, o)
	}), url
}

// TestTimeLimitCoversEveryPartOfARequest lets the database hang while the caller
// is authenticated, while the operation is charged and while it is executed.
func TestTimeLimitCoversEveryPartOfARequest(t *testing.T) {
	t.Parallel()
	const limit, usualLimit = 300 * time.Millisecond, 10 * time.Second
	for _, table := range []string{"api_keys", "quotas", "blocks"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			g, url := serveURL(t, repotest.Followed, func(db *repo.DB, o *Options) {
				o.TimeLimit = limit
				o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors})
			})
			lock := lockTable(t, url, table)
			began := time.Now()
			a := g.post(t, `{"query":"{ blocks(chain: SN_MAIN) { nodes { blockNumber } } }"}`, map[string]string{"Accept": mediaResponse})
			if took := time.Since(began); took > usualLimit/2 {
				t.Errorf("got an answer after %v, want one after %v", took, limit)
			}
			if a.status != http.StatusServiceUnavailable || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeServiceUnavailable || a.header.Get("Retry-After") == "" {
				t.Errorf("got status %d with %s, want one %s with Retry-After", a.status, a.text, domain.CodeServiceUnavailable)
			}
			if err := lock.Close(t.Context()); err != nil { // before the server is closed
				t.Fatal(err)
			}
		})
	}
}

// countingWriter counts what is written to a client.
type countingWriter struct {
	http.ResponseWriter
	writes *atomic.Int64
}

func (w countingWriter) Write(body []byte) (int, error) {
	w.writes.Add(1)
	return w.ResponseWriter.Write(body)
}

// TestDisconnectedClientCausesNoFurtherWork disconnects while a statement hangs.
// Behind the statement there are others, calls of the node and the encoding of
// the result, none of which may begin.
func TestDisconnectedClientCausesNoFurtherWork(t *testing.T) {
	t.Parallel()
	pool, closeNode, calls, err := countedNode()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeNode)
	g, url := serveURL(t, repotest.Followed, func(db *repo.DB, o *Options) {
		o.TimeLimit = time.Minute
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Nodes: map[domain.Chain]chain.Node{domain.Mainnet: pool.Source()}})
	})
	var writes, encodings atomic.Int64
	g.server.AroundRootFields(func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
		built := next(ctx)
		return graphql.WriterFunc(func(w io.Writer) {
			encodings.Add(1)
			built.MarshalGQL(w)
		})
	})
	counts, left := make(chan *telemetry.StatementCount, 1), make(chan struct{})
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, count := telemetry.CountStatements(r.Context())
		counts <- count
		g.ServeHTTP(countingWriter{w, &writes}, r.WithContext(ctx))
		close(left)
	}))
	t.Cleanup(outer.Close)
	lock := lockTable(t, url, "events")
	ctx, disconnect := context.WithCancel(t.Context())
	body := string(encode(map[string]string{"query": `{
		blocks(chain: SN_MAIN, first: 5) { nodes { blockNumber transactions(first: 5) { nodes { calldata events(first: 2) { nodes { data contract { token { totalSupply { totalSupplyRaw } } } } } } } } }
		token(chain: SN_MAIN, address: "` + strk + `") { symbol }
	}`}))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, outer.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	g.setHeaders(r, map[string]string{"Content-Type": mediaJSON})
	sent := make(chan struct{})
	go func() {
		response, err := http.DefaultClient.Do(r)
		if err == nil {
			text, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			t.Errorf("got %s, want no answer", text)
		}
		close(sent)
	}()
	count := <-counts
	polltest.Until(t, "that a statement hangs", func() bool {
		var waiting bool
		err := lock.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))").Scan(&waiting)
		return err == nil && waiting
	})
	begun, asked := count.N(), calls.Load()
	disconnect()
	<-sent
	<-left // while the table is still locked
	if n := count.N(); n != begun {
		t.Errorf("got %d statements after the client had left, want none", n-begun)
	}
	if n := calls.Load(); n != asked {
		t.Errorf("got %d calls of the node after the client had left, want none", n-asked)
	}
	if n := encodings.Load(); n != 0 {
		t.Errorf("got %d fields encoded for a client that had left, want none", n)
	}
	if n := writes.Load(); n != 0 {
		t.Errorf("got %d writes to a client that had left, want none", n)
	}
	if err := lock.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
