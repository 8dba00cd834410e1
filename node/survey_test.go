package node

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"astrolabe/domain/chain"
	"astrolabe/polltest"
)

const nonce = "starknet_getNonce"

// nonces asks for nonces, which all must get.
func nonces(t *testing.T, p *Pool, count int) {
	t.Helper()
	for range count {
		if _, err := p.Nonce(t.Context(), AtHash(headOfFake.Hash), headOfFake.Hash); err != nil {
			t.Fatal(err)
		}
	}
}

// withNonces returns fake nodes that know nonces.
func withNonces(t *testing.T, count int) []*fakeNode {
	t.Helper()
	nodes := make([]*fakeNode, count)
	for i := range nodes {
		nodes[i] = newFakeNode(t)
		nodes[i].on(nonce, result(`"0x1"`))
	}
	return nodes
}

// asked returns how often each node was asked for a nonce.
func asked(nodes []*fakeNode) (counts []int) {
	for _, n := range nodes {
		counts = append(counts, len(n.calls(nonce)))
	}
	return counts
}

func headAt(number uint64) reply {
	return result(fmt.Sprintf(`{"block_hash":"0xabc","block_number":%d}`, number))
}

func TestReadsAreSpreadOverTheHealthyUpstreams(t *testing.T) {
	t.Parallel()
	nodes := withNonces(t, 3)
	p := withoutSurveys(openPool(t, nil, nodes...))
	nonces(t, p, 30)
	if got, want := fmt.Sprint(asked(nodes)), "[10 10 10]"; got != want {
		t.Errorf("the upstreams were asked %s times, want %s", got, want)
	}
	nodes[0].on(nonce, status(500))
	nonces(t, p, 30) // the first one fails once, and is then asked last
	if got, want := fmt.Sprint(asked(nodes)), "[11 25 25]"; got != want {
		t.Errorf("after one failed, the upstreams were asked %s times, want %s", got, want)
	}
	nodes[0].on(nonce, result(`"0x1"`))
	if _, err := p.Survey(t.Context()); err != nil {
		t.Fatal(err)
	}
	nonces(t, p, 30)
	if got, want := fmt.Sprint(asked(nodes)), "[21 35 35]"; got != want {
		t.Errorf("after it recovered, the upstreams were asked %s times, want %s", got, want)
	}
}

// TestReadsNearTheHeadStayWithTheFurthestUpstream keeps them from mixing two
// forks, while nodes learn of a reorg at different times.
func TestReadsNearTheHeadStayWithTheFurthestUpstream(t *testing.T) {
	t.Parallel()
	nodes := withNonces(t, 3)
	nodes[1].on(head, headAt(102))
	p := openPool(t, nil, nodes...)
	if _, err := p.Survey(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[*BlockID]string{
		&Latest: "[0 12 0]", new(AtNumber(101)): "[0 12 0]", new(AtNumber(83)): "[0 12 0]",
		new(AtNumber(82)): "[4 4 4]", new(AtHash(headOfFake.Hash)): "[4 4 4]",
	} {
		before := asked(nodes)
		for range 12 {
			if _, err := p.Nonce(t.Context(), *id, headOfFake.Hash); err != nil {
				t.Fatal(err)
			}
		}
		got := asked(nodes)
		for i := range got {
			got[i] -= before[i]
		}
		if fmt.Sprint(got) != want {
			text, _ := id.MarshalJSON()
			t.Errorf("reads at block %s went %v times to the upstreams, want %s", text, got, want)
		}
	}
	nodes[1].on(nonce, status(500))
	nonces(t, p, 4)
	if _, err := p.Nonce(t.Context(), Latest, headOfFake.Hash); err != nil {
		t.Errorf("without the furthest upstream: got %v, want no error", err)
	}
}

func TestWritesPreferTheFirstUpstream(t *testing.T) {
	t.Parallel()
	first, second := newFakeNode(t), newFakeNode(t)
	first.on(write, result(`1`))
	p := withoutSurveys(openPool(t, nil, first, second))
	for range 4 {
		if _, err := p.Forward(t.Context(), Request{Method: write, Write: true}); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(second.calls(write)); got != 0 {
		t.Errorf("the second upstream got %d writes, want none", got)
	}
}

func TestUpstreamThatLacksABlockPassesTheReadOn(t *testing.T) {
	t.Parallel()
	notFound := envelope(`{"jsonrpc":"2.0","id":%s,"error":{"code":24,"message":"Block not found"}}`)
	nodes := withNonces(t, 2)
	nodes[0].on(nonce, notFound)
	p := withoutSurveys(openPool(t, nil, nodes...))
	nonces(t, p, 10)
	nodes[1].on(nonce, notFound)
	if _, err := p.Nonce(t.Context(), Latest, headOfFake.Hash); !hasCode(err, blockNotFound) {
		t.Errorf("a block that no upstream has: got %v, want error %d of the node", err, blockNotFound)
	}
}

func TestLaggingUpstreamIsTriedLast(t *testing.T) {
	t.Parallel()
	nodes := withNonces(t, 2)
	stale, fresh := nodes[0], nodes[1]
	stale.on(head, headAt(0))
	p := openPool(t, nil, nodes...)
	if got, err := p.Survey(t.Context()); err != nil || got.Number != 100 {
		t.Fatalf("the furthest head is %v, %v, want block 100", got, err)
	}
	nonces(t, p, 10)
	if got, want := fmt.Sprint(asked(nodes)), "[0 10]"; got != want {
		t.Errorf("the upstreams were asked %s times, want %s", got, want)
	}
	fresh.on(nonce, status(500))
	nonces(t, p, 1) // the only one left is behind
	fresh.on(nonce, result(`"0x1"`))
	stale.on(head, headAt(96))
	if _, err := p.Survey(t.Context()); err != nil {
		t.Fatal(err)
	}
	nonces(t, p, 10)
	if got, want := fmt.Sprint(asked(nodes)), "[6 16]"; got != want {
		t.Errorf("after it caught up, the upstreams were asked %s times, want %s", got, want)
	}
}

func TestPoolInUseSurveysItsUpstreamsInTheBackground(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	nodes := withNonces(t, 2)
	nodes[0].on(head, headAt(0))
	p := openPool(t, func(o *Options) { o.clock = clock }, nodes...)
	nonces(t, p, 1)
	polltest.Until(t, "the survey sees that the first node is behind", p.upstreams[0].behind.Load)
	nodes[0].on(head, headAt(100))
	clock.advance(p.options.timing.survey)
	nonces(t, p, 1)
	polltest.Until(t, "the survey sees that the first node caught up", func() bool { return !p.upstreams[0].behind.Load() })
}

// TestSurveyNoticesAChangeAtOnce lets an upstream change its identity and back,
// while no time passes.
func TestSurveyNoticesAChangeAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method      string
		wrong, good reply
		want        error
	}{
		"its chain":   {"starknet_chainId", result(`"0x534e5f4d41494e"`), result(`"0x534e5f5345504f4c4941"`), chain.ErrWrongChain},
		"its version": {"starknet_specVersion", result(`"0.9.0"`), result(`"0.10.2"`), chain.ErrNodeVersion},
		"its health":  {head, status(500), headAt(100), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := withNonces(t, 1)
			p := openPool(t, func(o *Options) { o.clock = newFakeClock() }, nodes...)
			for range 3 {
				if _, err := p.Survey(t.Context()); err != nil {
					t.Fatalf("while all is well: got %v, want no error", err)
				}
				nonces(t, p, 1)
				nodes[0].on(c.method, c.wrong)
				for range 2 * faultsToOpen {
					if _, err := p.Survey(t.Context()); err == nil || c.want != nil && !errors.Is(err, c.want) {
						t.Fatalf("after the change: got %v, want %v", err, c.want)
					}
				}
				if got, err := p.Nonce(t.Context(), Latest, headOfFake.Hash); err == nil {
					t.Errorf("got the nonce %s of an upstream that must not be used, want an error", got)
				}
				nodes[0].on(c.method, c.good)
			}
		})
	}
}

func TestSurveyRespectsAWishToBeLeftAlone(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	n := newFakeNode(t)
	n.on(head, status(429, "Retry-After", "20"))
	p := openPool(t, func(o *Options) { o.clock = clock }, n)
	for range 3 {
		if _, err := p.Survey(t.Context()); err == nil {
			t.Fatal("the survey succeeded, want a fault")
		}
	}
	if got := len(n.calls(head)); got != 1 {
		t.Errorf("the upstream was asked %d times, want once", got)
	}
	n.on(head, headAt(100))
	clock.advance(20 * time.Second)
	if _, err := p.Survey(t.Context()); err != nil {
		t.Errorf("after that time: got %v, want no error", err)
	}
}

func TestSurveyDoesNotWaitForAnUpstreamThatHangs(t *testing.T) {
	t.Parallel()
	hanging, good := newFakeNode(t), newFakeNode(t)
	hanging.on(head, hang)
	p := openPool(t, nil, hanging, good) // with a timeout of a minute
	started := time.Now()
	if got, err := p.Survey(t.Context()); err != nil || got != headOfFake {
		t.Fatalf("Survey = %v, %v, want %v", got, err, headOfFake)
	}
	if took := time.Since(started); took > 30*time.Second {
		t.Errorf("the survey took %v, want about %v", took, stragglerTime)
	}
}

func TestL1HeadIsTheNewestThatAnyUpstreamReports(t *testing.T) {
	t.Parallel()
	none := envelope(`{"jsonrpc":"2.0","id":%s,"error":{"code":24,"message":"Block not found"}}`)
	first, second := newFakeNode(t), newFakeNode(t)
	p := withoutSurveys(openPool(t, nil, first, second))
	for _, n := range []*fakeNode{first, second} {
		n.on("starknet_getBlockWithTxHashes", none)
	}
	if got, known, err := p.Source().L1Head(t.Context()); err != nil || known {
		t.Errorf("where nothing is accepted: got %v, %v, %v, want none", got, known, err)
	}
	for number, n := range map[int]*fakeNode{90: first, 88: second} {
		n.on("starknet_getBlockWithTxHashes", result(`{"status":"ACCEPTED_ON_L1","transactions":[],`+header(number)[1:]))
	}
	for range 4 {
		if got, known, err := p.Source().L1Head(t.Context()); err != nil || !known || got.Number != 90 {
			t.Errorf("got block %d, %v, %v, want 90", got.Number, known, err)
		}
	}
}
