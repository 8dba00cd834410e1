package summaries

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"astrolabe/domain"
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

// world is the everyday chain, its node and an index of it.
type world struct {
	*testing.T
	sim  *sim.Node
	url  string // of the node
	db   *repo.DB
	conn *pgx.Conn // besides the program's
	now  time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	simulated, url := repotest.Serve(t, sim.Config{Blocks: 60})
	db, conn := repotest.Connect(t, repotest.Followed)
	return &world{t, simulated, url, db, conn, time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)}
}

// supplies returns a worker with a new client of the node.
func (w *world) supplies() *Supplies {
	w.Helper()
	return &Supplies{
		Nodes: map[domain.Chain]token.Views{domain.Mainnet: repotest.Client(w.T, w.url)}, Index: index.NewCheckpoints(w.db), Store: tokens.NewSupplies(w.db),
		Logger: slog.New(slog.DiscardHandler),
	}
}

func (w *world) sums() *Sums {
	return &Sums{Store: tokens.NewSummaries(w.db), Logger: slog.New(slog.DiscardHandler)}
}

// count counts the rows of a query.
func (w *world) count(from string) (n int) {
	w.Helper()
	if err := w.conn.QueryRow(w.Context(), "SELECT count(*) FROM "+from).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

// stored returns the stored supply of a contract of the economy.
func (w *world) stored(name string) string {
	w.Helper()
	var (
		supply *string
		block  *uint64
	)
	address := w.contract(name)
	if err := w.conn.QueryRow(w.Context(), `SELECT supply::text, supply_block FROM tokens t
		JOIN addresses a ON a.chain = t.chain AND a.id = t.address WHERE a.chain = 1 AND a.felt = $1`, address[:]).Scan(&supply, &block); err != nil {
		w.Fatalf("%s: %v", name, err)
	}
	if supply == nil || block == nil {
		return "unknown"
	}
	return fmt.Sprintf("%s at %d", *supply, *block)
}

func (w *world) contract(name string) starknet.Felt {
	w.Helper()
	for _, contract := range w.sim.Directory() {
		if contract.Name == name {
			return contract.Address
		}
	}
	w.Fatalf("got no contract %s, want one", name)
	return starknet.Felt{}
}

// reported returns the supply that a contract reports after a block.
func (w *world) reported(name string, number uint64) string {
	w.Helper()
	result, err := w.sim.Call(number, w.contract(name), "total_supply")
	if err != nil {
		w.Fatal(err)
	}
	supply, ok := token.ReadQuantity(result)
	if !ok {
		w.Fatalf("%s: got %v, want a quantity", name, result)
	}
	return fmt.Sprintf("%s at %d", supply, number)
}
