package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/access/accesstest"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// store keeps heads in memory and counts its reads.
type store struct {
	mu    sync.Mutex
	heads map[domain.Chain]chain.Head
	reads int
	fails error
	stall bool // until the reader gives up or the test ends
	ended chan struct{}
}

func newStore() *store {
	s := &store{heads: map[domain.Chain]chain.Head{}, ended: make(chan struct{})}
	s.move(domain.Mainnet, 100)
	return s
}

// Heads returns the stored heads.
func (s *store) Heads(ctx context.Context) (map[domain.Chain]chain.Head, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.stall {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.ended:
			return nil, context.Canceled
		}
	}
	return maps.Clone(s.heads), s.fails
}

// move stores a new head.
func (s *store) move(c domain.Chain, number uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heads[c] = chain.Head{
		State:      chain.Following,
		Block:      &domain.BlockRef{Number: number, Hash: starknet.FeltFromUint64(number * 16)},
		ObservedAt: time.Now(),
		Led:        true,
	}
}

// abandon removes a chain's leader.
func (s *store) abandon(c domain.Chain) {
	s.mu.Lock()
	defer s.mu.Unlock()
	head := s.heads[c]
	head.Led = false
	s.heads[c] = head
}

func (s *store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = err
}

func (s *store) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

type fixedKey struct{}

func (fixedKey) CurrentKey() (uint32, []byte) { return 1, []byte("0123456789abcdef") }
func (fixedKey) KeyOf(context.Context, uint32) ([]byte, bool) {
	return []byte("0123456789abcdef"), true
}

// logbook collects the log.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// servedGraph is a handler behind a real HTTP server.
type servedGraph struct {
	*Handler
	url    string
	store  *store
	log    *logbook
	access *accesstest.Fixture
	db     *repo.DB
}

// serve starts a server over an empty index that many tests share, with its
// workspace and keys; change adapts its options.
func serve(tb testing.TB, change func(*Options)) *servedGraph {
	tb.Helper()
	db, callers := accesstest.Shared(tb, repotest.Migrated)
	return serveFor(tb, db, callers, time.Now, change)
}

// serveOwn is like serve over a database that the test may change.
func serveOwn(tb testing.TB, change func(*Options)) *servedGraph {
	tb.Helper()
	return serveAt(tb, time.Now, change)
}

// serveAt is like serve with another clock for keys, sessions and rate limits.
func serveAt(tb testing.TB, now func() time.Time, change func(*Options)) *servedGraph {
	tb.Helper()
	return serveOver(tb, repotest.Open(tb), now, change)
}

// serveOver is like serve over a database with content.
func serveOver(tb testing.TB, db *repo.DB, now func() time.Time, change func(*Options)) *servedGraph {
	tb.Helper()
	return serveFor(tb, db, accesstest.New(tb, db, now), now, change)
}

// serveFor is like serve for existing callers.
func serveFor(tb testing.TB, db *repo.DB, callers *accesstest.Fixture, now func() time.Time, change func(*Options)) *servedGraph {
	tb.Helper()
	g := &servedGraph{store: newStore(), log: new(logbook), access: callers, db: db}
	services := explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: domain.NewCursors(fixedKey{})})
	services.Statuses = chain.NewStatuses(g.store, 0)
	o := Options{
		Gate:      g.access.Gate,
		Usage:     account.NewUsage(accounts.NewUsage(db), now),
		Services:  services,
		Chains:    domain.Chains,
		Version:   "v1.2.3",
		Logger:    slog.New(slog.NewTextHandler(g.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		PollEvery: 2 * time.Millisecond,
	}
	if change != nil {
		change(&o)
	}
	g.Handler = New(o)
	server := httptest.NewServer(g.Handler)
	g.url = server.URL
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		close(g.store.ended)
		if err := g.Shutdown(ctx); err != nil {
			tb.Errorf("shutdown: %v", err)
		}
		server.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return g
}

// reply is a complete HTTP response.
type reply struct {
	status int
	header http.Header
	text   string
	body   struct {
		Data       json.RawMessage
		Errors     []wireError
		Extensions struct {
			Cost       struct{ Requested, Actual, Limit int }
			Statements *int
		}
	}
}

type wireError struct {
	Message    string
	Path       []any
	Locations  []struct{ Line, Column int }
	Extensions struct {
		Code              domain.Code
		DocSlug           string
		RequestID         string
		RetryAfterSeconds int
		Reason            string
		Scope             account.Permission
		Limit             *struct {
			Name        string
			Max, Actual int
		}
	}
}

// ask sends an operation by POST.
func (g *servedGraph) ask(t *testing.T, query string, variables map[string]any) reply {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	return g.post(t, string(body), nil)
}

// setHeaders sets the headers of a request. It adds a key with every permission unless
// the headers have one. A header with an empty value is not sent.
func (g *servedGraph) setHeaders(r *http.Request, header map[string]string) {
	r.Header.Set("X-Service-Api-Key", g.access.Key)
	for name, value := range header {
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
	}
}

// post sends a body with headers besides its content type.
func (g *servedGraph) post(t *testing.T, body string, header map[string]string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	g.setHeaders(r, header)
	return g.do(t, r)
}

func (g *servedGraph) do(t *testing.T, r *http.Request) reply {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := reply{status: response.StatusCode, header: response.Header, text: string(text)}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &a.body); err != nil {
			t.Fatalf("got %s and %v, want JSON", text, err)
		}
	}
	return a
}
