package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/node"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/fault"
)

// limitedProxy is a provider in front of a node: it serves what its limit allows,
// and counts the calls. A call takes 30 ms.
type limitedProxy struct {
	direct
	limiter *rate.Limiter
	pause   string // the Retry-After of a refusal

	mu     sync.Mutex
	served map[string]int // by method and params
}

// RoundTrip implements http.RoundTripper.
func (p *limitedProxy) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Upgrade") != "" {
		return p.direct.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	time.Sleep(30 * time.Millisecond)
	if !p.limiter.Allow() {
		answer := httptest.NewRecorder()
		answer.Header().Set("Retry-After", p.pause)
		answer.WriteHeader(http.StatusTooManyRequests)
		return answer.Result(), nil
	}
	p.count(body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return p.direct.RoundTrip(r)
}

func (p *limitedProxy) count(body []byte) {
	var call struct {
		Method string
		Params json.RawMessage
	}
	_ = json.Unmarshal(body, &call)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.served[call.Method+string(call.Params)]++
}

// fetches returns how many blocks, state updates and classes were served, and
// those that were served twice.
func (p *limitedProxy) fetches() (useful int, twice []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for call, n := range p.served {
		for _, method := range []string{"starknet_getBlockWithReceipts", "starknet_getStateUpdate", "starknet_getClass["} {
			if !strings.HasPrefix(call, method) {
				continue
			}
			useful++
			if n > 1 {
				twice = append(twice, call)
			}
		}
	}
	return useful, twice
}

// behind opens a world whose node is behind the proxy. It must be called in a
// synctest bubble.
func behind(t *testing.T, p *limitedProxy, database string, blocks int) *world {
	t.Helper()
	w := &world{T: t, front: &front{}, database: database}
	w.connect()
	w.sim = w.another(sim.Config{Blocks: blocks})
	w.front.serve(w.sim.Handler())
	p.direct, p.served = direct{w.front}, map[string]int{}
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{"http://node"}, Wait: true, HTTPClient: &http.Client{Transport: p}})
	if err != nil {
		t.Fatal(err)
	}
	w.node = pool
	t.Cleanup(pool.Close)
	return w
}

// limitedLeader returns a leader that reads classes from the node, too.
func (w *world) limitedLeader() *turns {
	loop := w.loop("a")
	loop.Node, loop.Verify, loop.Sizes = w.node.Source(), facts.Unverified, Sizes{Bulk: 8}.orDefault()
	return w.leader(loop)
}

// TestRateLimitOfTheNodeIsUsedForUsefulCalls indexes through proxies that allow
// some calls a second. At least 80 % of them are blocks, state updates and
// classes, and nothing is asked for twice.
func TestRateLimitOfTheNodeIsUsedForUsefulCalls(t *testing.T) {
	t.Parallel()
	for perSecond, blocks := range map[int]int{10: 250, 20: 300, 100: 700} {
		t.Run(fmt.Sprint(perSecond), func(t *testing.T) {
			t.Parallel()
			database := pgtest.Database(t, repotest.Migrated)
			synctest.Test(t, func(t *testing.T) {
				proxy := &limitedProxy{limiter: rate.NewLimiter(rate.Limit(perSecond), perSecond), pause: "1"}
				w := behind(t, proxy, database, blocks)
				leader, started := w.limitedLeader(), time.Now()
				w.catchUp(leader)
				took := time.Since(started)
				useful, twice := proxy.fetches()
				allowed := perSecond * int((took+time.Second)/time.Second)
				if share := 100 * useful / allowed; share < 80 {
					t.Errorf("got %d useful calls in %v, %d %% of the %d that are allowed, want at least 80 %%", useful, took, share, allowed)
				}
				if len(twice) > 0 {
					t.Errorf("got %d calls answered twice, such as %s, want none", len(twice), twice[0])
				}
			})
		})
	}
}

// TestLongPauseShowsAsRateLimited has a node that asks for a pause of five
// minutes in the middle of a turn.
func TestLongPauseShowsAsRateLimited(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t, repotest.Migrated)
	synctest.Test(t, func(t *testing.T) {
		proxy := &limitedProxy{limiter: rate.NewLimiter(rate.Every(time.Hour), 60), pause: "300"}
		w := behind(t, proxy, database, 60)
		leader := w.limitedLeader()
		ended := make(chan error)
		go func() { ended <- leader.turn(t.Context()) }()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := w.status(); got.State != chain.RateLimited || got.ReasonCode != "" {
			t.Errorf("during the pause: got the status %s %q, want %s", got.State, got.ReasonCode, chain.RateLimited)
		}
		proxy.limiter.SetLimit(rate.Inf)
		if err := <-ended; err != nil {
			t.Errorf("got %v, want the pause waited out inside the turn", err)
		}
		if got := w.status(); got.State != chain.Following {
			t.Errorf("after the pause: got the state %s, want %s", got.State, chain.Following)
		}
		if _, twice := proxy.fetches(); len(twice) > 0 {
			t.Errorf("got the calls %s answered twice, want none", twice)
		}
	})
}

// TestSlowCatchingUpShowsTheHeadAndItsProgress has too few missing blocks for a
// loading partition, and a node that allows four calls a second.
func TestSlowCatchingUpShowsTheHeadAndItsProgress(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t, repotest.Migrated)
	synctest.Test(t, func(t *testing.T) {
		proxy := &limitedProxy{limiter: rate.NewLimiter(4, 4), pause: "1"}
		w := behind(t, proxy, database, 200)
		leader := w.limitedLeader()
		leader.Sizes.Bulk = 256
		ended := make(chan error, 1)
		go func() { ended <- leader.turn(t.Context()) }()
		time.Sleep(10 * time.Second)
		if err := w.sim.Mine(3); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Second)
		synctest.Wait()
		got := w.status()
		if head := w.sim.Head().Header.BlockNumber; got.Block == nil || got.Block.Number != head {
			t.Errorf("after a minute: got the head %v, want %d", got.Block, head)
		}
		if got.Backfill == nil || got.Backfill.Done == 0 {
			t.Errorf("after a minute: got the progress %+v, want some", got.Backfill)
		}
		metrics := httptest.NewRecorder()
		leader.Metrics.Handler().ServeHTTP(metrics, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		if !strings.Contains(metrics.Body.String(), "astrolabe_index_backfill_ratio{") {
			t.Error("after a minute: got no astrolabe_index_backfill_ratio, want it")
		}
		proxy.limiter.SetLimit(rate.Inf)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if got := w.status(); got.State != chain.Following || got.Backfill != nil {
			t.Errorf("at the end: got the state %s and the progress %+v, want %s and none", got.State, got.Backfill, chain.Following)
		}
	})
}

// TestFailedTurnKeepsWhatItHasFetched lets state updates and classes fail now and
// then, so that turns end early.
func TestFailedTurnKeepsWhatItHasFetched(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t, repotest.Migrated)
	synctest.Test(t, func(t *testing.T) {
		proxy := &limitedProxy{limiter: rate.NewLimiter(rate.Inf, 1)}
		w := behind(t, proxy, database, 40)
		for _, method := range []string{"starknet_getStateUpdate", "starknet_getClass"} {
			if err := w.sim.Fault(fault.Fault{Kind: fault.RPCError, Code: -32603, Methods: []string{method}, Every: 7}); err != nil {
				t.Fatal(err)
			}
		}
		leader, failures := w.limitedLeader(), 0
		for leader.turn(t.Context()) != nil {
			if failures++; failures > 100 {
				t.Fatal("got 100 failed turns, want the index to advance")
			}
		}
		if failures == 0 {
			t.Error("got no failed turn, want some")
		}
		for call, n := range proxy.served {
			if strings.HasPrefix(call, "starknet_getBlockWithReceipts") && n > 1 {
				t.Errorf("got %d times %s, want once", n, call)
			}
		}
		want := w.clean(func(l *Loop) { l.Node, l.Verify = w.node.Source(), facts.Unverified; w.sim.ClearFaults() })
		if got := digest(t, w.db); got != want {
			t.Errorf("got the digest %s, want %s of a clean index", got, want)
		}
	})
}

// TestKeptBlockThatLeftTheChainIsNotUsed fails a turn near the head, and replaces
// the blocks that it has kept.
func TestKeptBlockThatLeftTheChainIsNotUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 10})
	loop := w.loop("a")
	loop.Node = w.node.Source()
	leader := w.leader(loop)
	w.catchUp(leader)
	if err := w.sim.Mine(3); err != nil {
		t.Fatal(err)
	}
	w.lie(fault.Fault{Kind: fault.RPCError, Code: -32603, Methods: []string{"starknet_getStateUpdate"}})
	if err := leader.turn(t.Context()); err == nil {
		t.Fatal("got no error, want the state updates to fail")
	}
	if leader.kept.newest() == nil {
		t.Fatal("got nothing kept, want the blocks")
	}
	w.sim.ClearFaults()
	if err := w.sim.Reorg(3); err != nil {
		t.Fatal(err)
	}
	if err := w.sim.Mine(1); err != nil {
		t.Fatal(err)
	}
	w.catchUp(leader)
	if undone := w.number("SELECT count(*)::int FROM blocks"); undone != int(w.sim.Head().Header.BlockNumber)+1 {
		t.Errorf("got %d blocks, want one for each height up to %d", undone, w.sim.Head().Header.BlockNumber)
	}
}
