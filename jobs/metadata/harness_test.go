package metadata

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/sim"
	"astrolabe/starknet"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// world is a simulated chain, its node and an index of it.
type world struct {
	*testing.T
	sim    *sim.Node
	url    string // of the node
	db     *repo.DB
	conn   *pgx.Conn // besides the program's
	index  *repotest.Index
	blocks []facts.Block
	now    time.Time
}

// newWorld indexes all blocks; the newest ones are still loading.
func newWorld(t *testing.T, loading int) *world {
	t.Helper()
	simulated, url := repotest.Serve(t, sim.Config{Blocks: 10})
	db, conn := repotest.Connect(t, repotest.Migrated)
	w := &world{
		T: t, sim: simulated, url: url, db: db, conn: conn,
		index: repotest.NewIndex(t.Context(), db, 0, 10), now: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC),
	}
	var err error
	if w.blocks, err = repotest.Facts(simulated); err != nil {
		t.Fatal(err)
	}
	visible := len(w.blocks) - loading
	w.index.Commit(w.index.Open(0, uint64(visible), indexing.RangeReady), w.blocks[:visible])
	if loading > 0 {
		w.index.Commit(w.index.Open(uint64(visible), 0, indexing.RangeLoading), w.blocks[visible:])
	}
	if err := w.index.Err(); err != nil {
		t.Fatal(err)
	}
	return w
}

// node returns a new client of the simulated node, without recorded failures.
func (w *world) node() token.Views {
	w.Helper()
	return repotest.Client(w.T, w.url)
}

// worker returns a worker of the world.
func (w *world) worker(node token.Views) *Worker {
	return &Worker{
		Nodes: map[domain.Chain]token.Views{domain.Mainnet: node}, Index: index.NewCheckpoints(w.db), Store: tokens.NewTokens(w.db),
		Logger: slog.New(slog.DiscardHandler),
	}
}

// count counts the tokens that satisfy a condition.
func (w *world) count(condition string) (n int) {
	w.Helper()
	if err := w.conn.QueryRow(w.Context(), "SELECT count(*) FROM tokens WHERE "+condition).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

// stored returns the stored metadata of a contract of the economy.
func (w *world) stored(name string) string {
	w.Helper()
	var address starknet.Felt
	for _, contract := range w.sim.Directory() {
		if contract.Name == name {
			address = contract.Address
		}
	}
	var (
		title, symbol *string
		decimals      *int
		block         *uint64
		at            *time.Time
	)
	if err := w.conn.QueryRow(w.Context(), `SELECT name, symbol, decimals, metadata_block, metadata_at
		FROM tokens t JOIN addresses a ON a.chain = t.chain AND a.id = t.address WHERE a.chain = 1 AND a.felt = $1`, address[:]).
		Scan(&title, &symbol, &decimals, &block, &at); err != nil {
		w.Fatalf("%s: %v", name, err)
	}
	if at == nil {
		return "unread"
	}
	return fmt.Sprintf("%s, %s, %s at %s", text(title), text(symbol), text(decimals), text(block))
}

func text[T any](value *T) string {
	if value == nil {
		return "null"
	}
	return fmt.Sprint(*value)
}
