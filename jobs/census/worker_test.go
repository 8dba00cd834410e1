package census

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/sim"
	"astrolabe/starknet"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// world is an indexed chain and its node.
type world struct {
	*testing.T
	db    *repo.DB
	conn  *pgx.Conn
	node  token.Views
	url   string                   // of the node
	named map[string]starknet.Felt // contracts of the economy
}

func newWorld(t *testing.T, template pgtest.Template) *world {
	t.Helper()
	simulated, url := repotest.Serve(t, sim.Config{Blocks: 60})
	db, conn := repotest.Connect(t, template)
	w := &world{T: t, db: db, conn: conn, node: repotest.Client(t, url), url: url, named: map[string]starknet.Felt{}}
	for _, contract := range simulated.Directory() {
		w.named[contract.Name] = contract.Address
	}
	return w
}

// run runs a worker once.
func (w *world) run(node token.Views) error {
	worker := &Worker{
		Nodes: map[domain.Chain]token.Views{domain.Mainnet: node}, Index: index.NewCheckpoints(w.db), Classes: index.NewArchive(w.db), Store: repositories.Census(w.db), Logger: slog.New(slog.DiscardHandler),
		Refresh: time.Hour, Retention: 6 * time.Hour,
	}
	return worker.Run(w.Context(), time.Now())
}

func (w *world) do(sql string) {
	w.Helper()
	if _, err := w.conn.Exec(w.Context(), sql); err != nil {
		w.Fatal(err)
	}
}

func (w *world) count(from string) (n int) {
	w.Helper()
	if err := w.conn.QueryRow(w.Context(), "SELECT count(*) FROM "+from).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

// standing returns the state of the census of a contract of the economy.
func (w *world) standing(name string) token.CensusState {
	w.Helper()
	found, err := tokens.NewCensus(w.db).CensusStates(w.Context(), domain.Mainnet, []starknet.Felt{w.named[name]}, time.Now())
	if err != nil {
		w.Fatal(err)
	}
	return found[0]
}

// twisted replaces the results of some contracts.
type twisted struct {
	token.Views
	twist map[starknet.Felt]func() ([]starknet.Felt, bool, error)
}

// View implements token.Views.
func (n twisted) View(ctx context.Context, at, contract, selector starknet.Felt) ([]starknet.Felt, bool, error) {
	if answer := n.twist[contract]; answer != nil {
		return answer()
	}
	return n.Views.View(ctx, at, contract, selector)
}

// TestARunJudgesAndCountsEveryToken also checks that every ERC-20 of the
// economy adds up, except the one that was made not to.
func TestARunJudgesAndCountsEveryToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, repotest.Followed)
	if err := w.run(w.node); err != nil {
		t.Fatal(err)
	}
	standards := map[starknet.Felt]facts.Standard{}
	for _, block := range repotest.Everyday(t)[:repotest.FollowedFinalized+1] {
		for _, seen := range block.Tokens {
			standards[seen.Address] = seen.Standard
		}
	}
	for contract, standard := range standards {
		found, err := tokens.NewCensus(w.db).CensusStates(t.Context(), domain.Mainnet, []starknet.Felt{contract}, time.Now())
		if err != nil || found[0].Policy == nil || found[0].Policy.Block != repotest.FollowedFinalized || found[0].Policy.Qualified != (standard == facts.ERC20) {
			t.Fatalf("%s %s: got %+v and %v, want a policy at block %d, qualified if it is an ERC-20", standard, contract, found, err, repotest.FollowedFinalized)
		}
		g := found[0].Generation
		switch {
		case standard != facts.ERC20:
			if found[0].Policy.Reason != "not_erc20" || g != nil {
				t.Errorf("%s %s: got the policy %+v and the generation %+v, want not_erc20 and none", standard, contract, found[0].Policy, g)
			}
		case contract == w.named["vSTRK"]:
			if g.Status != token.CensusAuditFailed || g.Reason != token.ReasonSupplyMismatch {
				t.Errorf("vSTRK: got %+v, want %s for %s", g, token.CensusAuditFailed, token.ReasonSupplyMismatch)
			}
		case g.Status != token.CensusCertified || g.Block.Number != repotest.FollowedFinalized || time.Until(g.ExpiresAt) < 5*time.Hour:
			t.Errorf("%s: got %+v, want it %s at block %d for at least 5 hours", contract, g, token.CensusCertified, repotest.FollowedFinalized)
		}
	}
	if generations := w.count("census_generations"); w.run(w.node) != nil || w.count("census_generations") != generations {
		t.Errorf("got %d generations after a run with nothing due, want %d and no error", w.count("census_generations"), generations)
	}
}

func TestALaterRunSharesTheRowsOfTokensThatDidNotMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, repotest.Followed)
	if err := w.run(w.node); err != nil {
		t.Fatal(err)
	}
	before, idle := w.standing("STRK").Generation, w.standing("strkBTC").Generation
	w.do("UPDATE index_checkpoints SET finalized_block = 46")
	w.do("UPDATE tokens SET census_due = '-infinity'")
	if err := w.run(w.node); err != nil {
		t.Fatal(err)
	}
	if after := w.standing("STRK").Generation; after.Block.Number != 46 || after.Snapshot.ID == before.Snapshot.ID || after.Status != token.CensusCertified {
		t.Errorf("STRK: got %+v, want it %s at block 46 with a new snapshot", after, token.CensusCertified)
	}
	if after := w.standing("strkBTC").Generation; after.Block.Number != 46 || after.ID == idle.ID || after.Snapshot.ID != idle.Snapshot.ID {
		t.Errorf("strkBTC: got %+v, want a new generation at block 46 with the snapshot of %+v", after, idle)
	}
}

func TestATokenThatCannotBeReadDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, repotest.Followed)
	away := errors.New("the node is away")
	broken := twisted{w.node, map[starknet.Felt]func() ([]starknet.Felt, bool, error){
		w.named["ETH"]:  func() ([]starknet.Felt, bool, error) { return nil, false, away },
		w.named["USDC"]: func() ([]starknet.Felt, bool, error) { return nil, false, nil },
		w.named["USDT"]: func() ([]starknet.Felt, bool, error) { return make([]starknet.Felt, 3), true, nil },
	}}
	if err := w.run(broken); !errors.Is(err, away) || !strings.Contains(err.Error(), w.named["ETH"].String()) {
		t.Errorf("got %v, want %v for ETH", err, away)
	}
	if s := w.standing("ETH"); s.Generation != nil || !s.Policy.Qualified {
		t.Errorf("ETH: got the policy %+v and the generation %+v, want it qualified without a generation", s.Policy, s.Generation)
	}
	for _, name := range []string{"USDC", "USDT"} { // the contract returned no number
		if g := w.standing(name).Generation; g.Status != token.CensusUnavailable || g.Reason != token.ReasonSupplyUnreadable {
			t.Errorf("%s: got %+v, want %s for %s", name, g, token.CensusUnavailable, token.ReasonSupplyUnreadable)
		}
	}
	if g := w.standing("STRK").Generation; g.Status != token.CensusCertified {
		t.Errorf("STRK: got %+v, want it %s", g, token.CensusCertified)
	}
	if n := w.count("tokens WHERE census_due < now() + interval '31 seconds' AND block <= 45"); n != 1 {
		t.Errorf("got %d tokens due within 31 seconds, want 1", n)
	}
	w.do("UPDATE tokens SET census_due = '-infinity' WHERE census_due < now() + interval '31 seconds'")
	if err := w.run(w.node); err != nil || w.standing("ETH").Generation.Status != token.CensusCertified {
		t.Errorf("ETH: got %+v and %v, want it %s", w.standing("ETH").Generation, err, token.CensusCertified)
	}
}

// TestAWrongSupplyIsDetected lets a token report one more than the sum
// of its transfers.
func TestAWrongSupplyIsDetected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, repotest.Followed)
	lying := twisted{w.node, map[starknet.Felt]func() ([]starknet.Felt, bool, error){
		w.named["STRK"]: func() ([]starknet.Felt, bool, error) { return []starknet.Felt{starknet.FeltFromUint64(1)}, true, nil },
	}}
	if err := w.run(lying); err != nil || w.standing("STRK").Generation.Status != token.CensusAuditFailed {
		t.Errorf("got %+v and %v, want %s", w.standing("STRK").Generation, err, token.CensusAuditFailed)
	}
	if n := w.count("census_holders h LEFT JOIN census_snapshots s ON s.id = h.snapshot WHERE s.id IS NULL"); n != 0 {
		t.Errorf("got %d rows of failed audits, want none", n)
	}
}

func TestAHeldTokenIsNotCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, repotest.Followed)
	if err := w.run(w.node); err != nil {
		t.Fatal(err)
	}
	if n, err := tokens.NewCensusBuilder(w.db).HoldCensus(t.Context(), domain.Mainnet, w.named["STRK"], "a test"); err != nil || n != 1 {
		t.Fatalf("got %d held generations and %v, want 1", n, err)
	}
	w.do("UPDATE tokens SET census_due = '-infinity'")
	if err := w.run(w.node); err != nil || w.standing("STRK").Generation.Status != token.CensusRevoked {
		t.Errorf("held: got %+v and %v, want it %s", w.standing("STRK").Generation, err, token.CensusRevoked)
	}
	if released, err := tokens.NewCensusBuilder(w.db).ReleaseCensus(t.Context(), domain.Mainnet, w.named["STRK"]); err != nil || !released {
		t.Fatalf("got the census released %t, %v, want it released", released, err)
	}
	if err := w.run(w.node); err != nil || w.standing("STRK").Generation.Status != token.CensusCertified {
		t.Errorf("released: got %+v and %v, want it %s", w.standing("STRK").Generation, err, token.CensusCertified)
	}
}

// TestNothingIsCountedBeforeABlockIsFinal uses an index without a finalized
// tier.
func TestNothingIsCountedBeforeABlockIsFinal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, repotest.Indexed)
	if err := w.run(w.node); err != nil || w.count("census_policies")+w.count("census_generations") != 0 {
		t.Errorf("got %d policies, %d generations and %v, want none", w.count("census_policies"), w.count("census_generations"), err)
	}
	w.do("UPDATE index_checkpoints SET finalized_block = 50") // readers see blocks up to 44
	if err := w.run(w.node); err != nil || w.standing("STRK").Generation.Block.Number != 44 {
		t.Errorf("got %+v and %v, want a generation at block 44", w.standing("STRK").Generation, err)
	}
}

func TestTransfersOfAnotherVersionAreNotCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, repotest.Followed)
	w.do("UPDATE deriver_versions SET version = version - 1 WHERE fact = 'transfers'")
	if err := w.run(w.node); err != nil || w.count("census_generations") != 0 {
		t.Errorf("got %d generations and %v, want none", w.count("census_generations"), err)
	}
}

// TestCertifiedBalancesAreWhatTheContractsSay compares the balance of every
// holder of a bridged and of a keyed token with the contracts.
func TestCertifiedBalancesAreWhatTheContractsSay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, repotest.Followed)
	if err := w.run(w.node); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"STRK", "ASTRO"} {
		g := w.standing(name).Generation
		lists, err := tokens.NewCensus(w.db).Holders(t.Context(), domain.Mainnet, []token.HolderPlace{{Snapshot: g.Snapshot.ID}}, 1000)
		if err != nil || int64(len(lists[0])) != g.Snapshot.Holders {
			t.Fatalf("%s: got %d holders and %v, want %d", name, len(lists[0]), err, g.Snapshot.Holders)
		}
		for _, h := range lists[0] {
			if balance := w.balance(g.Block.Hash, w.named[name], h.Address); balance != h.Balance.String() {
				t.Errorf("%s of %s: got %s, want the contract's %s", name, h.Address, h.Balance, balance)
			}
		}
	}
}

// balance reads a balance from a contract after a block.
func (w *world) balance(at, contract, owner starknet.Felt) string {
	w.Helper()
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "starknet_call", "params": []any{
		map[string]any{"contract_address": contract, "entry_point_selector": starknet.Selector("balance_of"), "calldata": []starknet.Felt{owner}},
		map[string]any{"block_hash": at},
	}})
	if err != nil {
		w.Fatal(err)
	}
	response, err := http.Post(w.url, "application/json", bytes.NewReader(request))
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Result []starknet.Felt }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		w.Fatal(err)
	}
	balance, ok := token.ReadQuantity(answer.Result)
	if !ok {
		w.Fatalf("got %v, want a quantity", answer)
	}
	return balance.String()
}
