package metadata

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/jobs"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

func TestTokensSayWhatTheirContractsSay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	if err := w.worker(w.node()).Run(t.Context(), w.now); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"STRK":           "Starknet Token, STRK, 18 at 10",                                // felts
		"USDC.e":         "USD Coin, USDC, 6 at 10",                                       // felts
		"USDC":           "USD Coin, USDC, 6 at 10",                                       // byte arrays
		"copycat":        "Astrolabe Classic of the Northern Hemisphere, ASTRO, 18 at 10", // more than a word
		"old collection": "Old Stars, OLDSTAR, null at 10",
		"collection":     "New Stars, STAR, null at 10",
		"items":          "null, null, null at 10", // an ERC-1155 has no metadata
	} {
		if got := w.stored(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if n := w.count("metadata_at IS NULL"); n != 0 {
		t.Errorf("got %d unread tokens, want none", n)
	}
}

func TestTokensOfBlocksThatReadersCannotSeeWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9)
	if err := w.worker(w.node()).Run(t.Context(), w.now); err != nil {
		t.Fatal(err)
	}
	if got, want := w.stored("STRK"), "Starknet Token, STRK, 18 at 1"; got != want {
		t.Errorf("STRK: got %s, want %s", got, want)
	}
	if got := w.stored("ASTRO"); got != "unread" {
		t.Errorf("ASTRO: got %s, want unread", got)
	}
	if n := w.count("block > 1 AND metadata_at IS NOT NULL"); n != 0 {
		t.Errorf("got %d read tokens of loading blocks, want none", n)
	}
}

func TestAnOutageLeavesTokensUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	later := w.now
	for _, outage := range []struct {
		name string
		fault.Fault
	}{
		{"no service", fault.Fault{Kind: fault.Status, Status: http.StatusServiceUnavailable}},
		{"too many requests", fault.Fault{Kind: fault.Status}},
		{"closed connections", fault.Fault{Kind: fault.Cut}},
		{"half answers", fault.Fault{Kind: fault.Truncate}},
		{"internal errors", fault.Fault{Kind: fault.RPCError, Code: -32603}},
		{"no such block", fault.Fault{Kind: fault.RPCError, Code: 24}},
		{"unknown contracts", fault.Fault{Kind: fault.RPCError, Code: 20}},
		{"another chain", fault.Fault{Kind: fault.OtherChain}},
	} {
		if outage.Kind != fault.OtherChain {
			outage.Methods = []string{"starknet_call"}
		}
		if err := w.sim.Fault(outage.Fault); err != nil {
			t.Fatal(err)
		}
		if err := w.worker(w.node()).Run(t.Context(), later); err == nil {
			t.Errorf("%s: got no error, want one", outage.name)
		}
		w.sim.ClearFaults()
		if n := w.count("metadata_at IS NOT NULL OR metadata_block IS NOT NULL"); n != 0 {
			t.Errorf("%s: got %d read tokens, want none", outage.name, n)
		}
		later = later.Add(claim)
	}
	if err := w.worker(w.node()).Run(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if n := w.count("metadata_at IS NULL"); n != 0 {
		t.Errorf("after the outage: got %d unread tokens, want none", n)
	}
}

func TestATokenThatCannotBeReadDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	worker := w.worker(w.node())
	if err := w.sim.Fault(fault.Fault{Kind: fault.RPCError, Code: -32603, Methods: []string{"starknet_call"}, Times: 1}); err != nil {
		t.Fatal(err)
	}
	if err := worker.Run(t.Context(), w.now); err == nil {
		t.Error("got no error, want that of the token that could not be read")
	}
	if n := w.count("metadata_at IS NULL"); n != 1 {
		t.Fatalf("got %d unread tokens, want 1", n)
	}
	for _, later := range []struct {
		by     time.Duration
		unread int
	}{{claim - time.Second, 1}, {claim, 0}} {
		if err := worker.Run(t.Context(), w.now.Add(later.by)); err != nil {
			t.Fatal(err)
		}
		if n := w.count("metadata_at IS NULL"); n != later.unread {
			t.Errorf("%s later: got %d unread tokens, want %d", later.by, n, later.unread)
		}
	}
}

func TestMetadataIsReadAgainAfterADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	worker := w.worker(w.node())
	if err := w.sim.Fault(fault.Fault{Kind: fault.RPCError, Code: 40, Message: "Contract error", Methods: []string{"starknet_call"}}); err != nil {
		t.Fatal(err)
	}
	if err := worker.Run(t.Context(), w.now); err != nil {
		t.Fatal(err)
	}
	w.sim.ClearFaults()
	const nothing, something = "null, null, null at 10", "Starknet Token, STRK, 18 at 10"
	for _, later := range []struct {
		by   time.Duration
		want string
	}{{0, nothing}, {freshness - time.Second, nothing}, {freshness, something}} {
		if err := worker.Run(t.Context(), w.now.Add(later.by)); err != nil {
			t.Fatal(err)
		}
		if got := w.stored("STRK"); got != later.want {
			t.Errorf("%s later: %s, want %s", later.by, got, later.want)
		}
	}
}

// meanwhile calls a function before the first view.
type meanwhile struct {
	token.Views
	act func()
}

func (m meanwhile) View(ctx context.Context, at, contract, selector starknet.Felt) ([]starknet.Felt, bool, error) {
	m.act()
	return m.Views.View(ctx, at, contract, selector)
}

func TestAReorgDuringTheReadStoresNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	before := w.count("true")
	undo := sync.OnceFunc(func() { w.index.Undo(&w.blocks[1].Header) })
	if err := w.worker(meanwhile{w.node(), undo}).Run(t.Context(), w.now); err != nil {
		t.Fatal(err)
	}
	if err := w.index.Err(); err != nil {
		t.Fatal(err)
	}
	if left, read := w.count("true"), w.count("metadata_at IS NOT NULL"); left == 0 || left >= before || read != 0 {
		t.Fatalf("got %d tokens left of %d, %d of them read, want fewer, and none read", left, before, read)
	}
	if err := w.worker(w.node()).Run(t.Context(), w.now.Add(claim)); err != nil {
		t.Fatal(err)
	}
	if got, want := w.stored("STRK"), "Starknet Token, STRK, 18 at 1"; got != want {
		t.Errorf("STRK: %s, want %s", got, want)
	}
}

func TestAChainThatWasNeverIndexedHasNothingToRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	worker := w.worker(w.node())
	worker.Nodes = map[domain.Chain]token.Views{domain.Sepolia: w.node()}
	if err := worker.Run(t.Context(), w.now); err != nil {
		t.Fatal(err)
	}
	if calls := w.sim.Counts()["starknet_call"]; calls != 0 {
		t.Errorf("got %d calls of the node, want none", calls)
	}
}

// signalling signals writes to the real store.
type signalling struct {
	tokens.Tokens
	stored chan int
}

func (s signalling) StoreMetadata(ctx context.Context, c domain.Chain, r token.Reading) (int, error) {
	n, err := s.Tokens.StoreMetadata(ctx, c, r)
	s.stored <- n
	return n, err
}

func TestTheQueueReadsMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	worker, store := w.worker(w.node()), signalling{tokens.NewTokens(w.db), make(chan int, 1)}
	worker.Store = store
	schedule := jobs.NewSchedule(worker.Logger, telemetry.NewMetrics(), worker.Job())
	stored := repotest.AwaitJob(t, w.db, repo.QueueOptions{Workers: schedule.Workers, Periodic: schedule.Periodic, Logger: worker.Logger}, store.stored)
	if stored == 0 || w.count("metadata_at IS NULL") != 0 {
		t.Errorf("got %d tokens read and %d unread, want all read", stored, w.count("metadata_at IS NULL"))
	}
}
