package index

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/node"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	store "astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
	"astrolabe/telemetry"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// world is a simulated chain, its node and an index of it.
type world struct {
	*testing.T
	sim  *sim.Node
	url  string
	node *node.Pool
	db   *repo.DB

	front    *front             // what the URL serves
	database string             // its address
	level    facts.Verification // of its indexers: unverified by default
}

// newVerifiedWorld returns a world whose indexers verify the hashes of blocks, for
// tests of that. In other tests it would take most of the time.
func newVerifiedWorld(t *testing.T, config sim.Config) *world {
	t.Helper()
	w := newWorld(t, config)
	w.level = facts.FullyVerified
	return w
}

func newWorld(t *testing.T, config sim.Config) *world {
	t.Helper()
	chain := simtest.New(t, config)
	front := &front{}
	front.serve(chain.Handler())
	server := httptest.NewServer(front)
	w := &world{T: t, sim: chain, url: server.URL, front: front, database: pgtest.Database(t, repotest.Migrated)}
	w.node = w.pool()
	w.connect()
	t.Cleanup(func() {
		w.node.Close()
		_ = chain.Close()
		server.Close()
	})
	return w
}

// front is a server whose handler can be replaced, as if another node got the
// address.
type front struct{ handler atomic.Pointer[http.Handler] }

func (f *front) serve(h http.Handler) { f.handler.Store(&h) }

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*f.handler.Load()).ServeHTTP(w, r)
}

// another returns a simulated node next to that of the world.
func (w *world) another(config sim.Config) *sim.Node {
	w.Helper()
	return simtest.New(w.T, config)
}

// sized is how many blocks a chain has: all of them when ASTROLABE_SOAK is set.
func sized(quick, all int) int {
	if os.Getenv("ASTROLABE_SOAK") != "" {
		return all
	}
	return quick
}

// connect opens the world's database.
func (w *world) connect() {
	w.Helper()
	db, err := repo.Open(w.Context(), repo.Options{URL: w.database})
	if err != nil {
		w.Fatal(err)
	}
	w.db = db
	w.Cleanup(db.Close)
}

// execute runs a statement behind the indexer's back.
func (w *world) execute(statement string) {
	w.Helper()
	conn, err := pgx.Connect(w.Context(), w.database)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = conn.Close(w.Context()) }()
	if _, err := conn.Exec(w.Context(), statement); err != nil {
		w.Fatal(err)
	}
}

// number returns the only value of a query.
func (w *world) number(query string) (n int) {
	w.Helper()
	conn, err := pgx.Connect(w.Context(), w.database)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = conn.Close(w.Context()) }()
	if err := conn.QueryRow(w.Context(), query).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

// beside returns the same chain with another, empty index.
func (w *world) beside() *world {
	w.Helper()
	other := *w
	other.database = pgtest.Database(w.T, repotest.Migrated)
	other.connect()
	return &other
}

// pool returns a client of the simulated node.
func (w *world) pool() *node.Pool {
	w.Helper()
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{w.url}})
	if err != nil {
		w.Fatal(err)
	}
	return pool
}

// small are sizes of partitions and batches that a short chain fills.
var small = Sizes{BatchEvents: 300, RangeEvents: 1500, Bulk: 8}

// loop returns an indexer of the world.
func (w *world) loop(holder string) *Loop {
	return &Loop{
		Chain: domain.Mainnet, Pools: privacy.KnownPools(domain.Mainnet), Node: repotest.OnceRead{Source: w.node.Source()}, Holder: holder,
		Leases: w.leases(), Checkpoints: store.NewCheckpoints(w.db), Classes: store.NewArchive(w.db), Writer: store.NewWriter(w.db), Backfills: store.NewBackfills(w.db),
		Every: 5 * time.Millisecond, Lease: time.Hour, Depth: 5, Sizes: small.orDefault(), Verify: cmp.Or(w.level, facts.Unverified),
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(),
	}
}

func (w *world) leases() store.Leases { return store.NewLeases(w.db) }

// leader takes the lease for a loop and returns its turns.
func (w *world) leader(l *Loop) *turns {
	w.Helper()
	lease, leads, err := w.leases().TakeLease(w.Context(), l.Chain, l.Holder, l.Lease)
	if err != nil || !leads {
		w.Fatalf("got leads %v and %v, want the lease", leads, err)
	}
	return &turns{Loop: l, lease: lease, memory: newMemory()}
}

// catchUp indexes until the simulated head, in one turn.
func (w *world) catchUp(t *turns) {
	w.Helper()
	if err := t.turn(w.Context()); err != nil {
		w.Fatal(err)
	}
	head := w.sim.Head().Header
	if t.at.Block == nil || t.at.Block.Hash != head.BlockHash {
		w.Fatalf("got the checkpoint %+v, want the head %d %s", t.at.Block, head.BlockNumber, head.BlockHash)
	}
}

// digest returns the digest of an index.
func digest(t *testing.T, db *repo.DB) string {
	t.Helper()
	d, err := store.NewArchive(db).Digest(t.Context(), domain.Mainnet)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// clean indexes the world's chain into a new database and returns its digest.
func (w *world) clean(change func(*Loop)) string {
	w.Helper()
	other := w.beside()
	loop := other.loop("clean")
	if change != nil {
		change(loop)
	}
	other.catchUp(other.leader(loop))
	return digest(w.T, other.db)
}

func (w *world) status() chain.Head {
	w.Helper()
	heads, err := onchain.NewHeads(w.db).Heads(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return heads[domain.Mainnet]
}
