package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"astrolabe/domain/gateway"
)

const (
	number  = "starknet_blockNumber"
	hashes  = "starknet_getBlockWithTxHashes"
	headRef = "starknet_blockHashAndNumber"
)

// at makes a node answer as if its newest block had a number and a hash.
func (n *fakeNode) at(head uint64, fork string) {
	hash := fmt.Sprintf("0x%s%d", fork, head)
	n.on(number, result(fmt.Sprint(head)))
	n.on(headRef, result(fmt.Sprintf(`{"block_hash":%q,"block_number":%d}`, hash, head)))
	n.on(hashes, result(fmt.Sprintf(`{"status":"ACCEPTED_ON_L2","block_hash":%q,"block_number":%d}`, hash, head)))
	n.on(nonce, result(fmt.Sprintf(`"0x%d"`, head)))
}

// followed are reads that move with the head, by name.
var followed = map[string]Request{
	"the block number":      {Method: number, Follows: "a"},
	"the hash and number":   {Method: headRef, Follows: "a"},
	"the newest block":      {Method: hashes, Tag: "latest", Follows: "a"},
	"a nonce at the head":   {Method: nonce, Tag: "latest", Follows: "a"},
	"a nonce without a tag": {Method: nonce, Follows: "a"},
}

// openFollowed opens a pool with a clock of its own whose first upstream is at
// block 168, where caller a has made a read, and whose second one is behind.
func openFollowed(t *testing.T, r Request) (p *Pool, clock *fakeClock, first, second *fakeNode) {
	t.Helper()
	first, second = newFakeNode(t), newFakeNode(t)
	first.at(165, "a")
	second.at(164, "a")
	clock = newFakeClock()
	p = openPool(t, func(o *Options) { o.clock, o.timing.hedge = clock, time.Hour }, first, second)
	if _, err := p.Survey(t.Context()); err != nil {
		t.Fatal(err)
	}
	withoutSurveys(p)
	first.at(168, "a")
	second.at(166, "a")
	if _, err := p.Forward(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	p.hedge = newHedge(time.Millisecond) // a read that fails waits for its second attempt
	return p, clock, first, second
}

func refuses(t *testing.T, p *Pool, when string) {
	t.Helper()
	for name, r := range followed {
		if got, err := p.Forward(t.Context(), r); !errors.Is(err, errBehind) {
			t.Errorf("%s, %s: got %s and %v, want %v", name, when, got, err, errBehind)
		}
	}
}

func answers(t *testing.T, p *Pool, when string) {
	t.Helper()
	for name, r := range followed {
		if got, err := p.Forward(t.Context(), r); err != nil {
			t.Errorf("%s, %s: got %s and %v, want an answer", name, when, got, err)
		}
	}
}

func TestHeadDoesNotGoBackForACallerWhateverItReads(t *testing.T) {
	t.Parallel()
	for name, r := range followed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, clock, first, second := openFollowed(t, r)
			first.Close()
			refuses(t, p, "at an upstream that is behind")
			clock.advance(time.Hour)
			refuses(t, p, "an hour later")
			if got, err := p.Forward(t.Context(), Request{Method: nonce, Follows: "b"}); err != nil {
				t.Errorf("another caller: got %s and %v, want an answer", got, err)
			}
			second.at(168, "a")
			answers(t, p, "once the upstream has caught up")
		})
	}
}

func TestHeadDoesNotGoBackForACallerBehindOneURL(t *testing.T) {
	t.Parallel()
	for name, r := range followed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _, first, second := openFollowed(t, r)
			for range 4 {
				first.at(166, "a")
				second.at(166, "a")
				if got, err := p.Forward(t.Context(), r); !errors.Is(err, errBehind) {
					t.Fatalf("got %s and %v, want %v", got, err, errBehind)
				}
				first.at(168, "a")
				answers(t, p, "at block 168")
			}
		})
	}
}

func TestNodeErrorFromBehindTheHeadIsNoAnswer(t *testing.T) {
	t.Parallel()
	p, _, first, second := openFollowed(t, followed["the block number"])
	first.Close()
	second.on(nonce, envelope(`{"jsonrpc":"2.0","id":%s,"error":{"code":20,"message":"Contract not found"}}`))
	if got, err := p.Forward(t.Context(), followed["a nonce at the head"]); !errors.Is(err, errBehind) {
		t.Errorf("got %s and %v, want %v", got, err, errBehind)
	}
}

func TestHeadDoesNotGoBackBehindANotifiedHead(t *testing.T) {
	t.Parallel()
	for name, notified := range map[string]string{
		"a new head":                header(169),
		"an event":                  `{"block_number":169,"block_hash":"0xa169","finality_status":"ACCEPTED_ON_L2","keys":[]}`,
		"an event of no block yet":  `{"block_number":170,"finality_status":"PRE_CONFIRMED","keys":[]}`,
		"a receipt of no block yet": `{"block_number":170,"block_hash":"0xa170","finality_status":"PRE_CONFIRMED"}`,
		"a receipt":                 `{"block_number":169,"block_hash":"0xa169","finality_status":"ACCEPTED_ON_L2"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _, _, second := openFollowed(t, followed["the block number"])
			p.Gateway().Notified([]string{"a"}, gateway.Notification{Method: "starknet_subscriptionNewHeads", Result: json.RawMessage(notified)})
			p.Gateway().Notified([]string{"a"}, gateway.Notification{Method: "starknet_subscriptionNewHeads", Result: json.RawMessage(header(12))})
			refuses(t, p, "at upstreams that are behind the subscription")
			second.at(169, "a")
			answers(t, p, "at an upstream that has the block")
		})
	}
}

func TestNotifiedReorgIsAcceptedAtOnce(t *testing.T) {
	t.Parallel()
	reorg := func(start, end int) gateway.Notification {
		return gateway.Notification{Method: reorgMethod, Result: fmt.Appendf(nil,
			`{"starting_block_number":%d,"starting_block_hash":"0x1","ending_block_number":%d,"ending_block_hash":"0x2"}`, start, end)}
	}
	p, _, first, _ := openFollowed(t, followed["the block number"])
	first.at(167, "a")
	p.Gateway().Notified([]string{"b"}, reorg(167, 168)) // another caller
	p.Gateway().Notified([]string{"a"}, reorg(166, 167)) // the caller has seen a later block
	refuses(t, p, "after reorgs that are not about what the caller has seen")
	p.Gateway().Notified([]string{"a"}, reorg(167, 168))
	answers(t, p, "after a reorg of the block that the caller has seen")
}

func TestReadWaitsForAnUpstreamToCatchUp(t *testing.T) {
	t.Parallel()
	p, clock, first, second := openFollowed(t, followed["the block number"])
	first.Close()
	done := make(chan error, 1)
	p.options.clock = waitingClock{clock, func() { second.at(168, "a") }}
	go func() {
		_, err := p.Forward(t.Context(), followed["a nonce at the head"])
		done <- err
	}()
	if err := <-done; err != nil {
		t.Errorf("got %v, want an answer once the upstream has caught up", err)
	}
}

func TestPreConfirmedBlockShowsTheHeadBeforeIt(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.at(168, "a")
	n.on(hashes, result(`{"block_number":169,"transactions":[]}`))
	p := openPool(t, nil, n)
	if _, err := p.Forward(t.Context(), Request{Method: hashes, Tag: "pre_confirmed", Follows: "a"}); err != nil {
		t.Fatal(err)
	}
	if got := p.following.of("a").block; got != 168 {
		t.Errorf("the caller has seen block %d, want 168", got)
	}
}

func TestReorgOfTheFollowedUpstreamIsAcceptedAtOnce(t *testing.T) {
	t.Parallel()
	p, _, first, second := openFollowed(t, followed["a nonce at the head"])
	first.at(167, "a")
	refuses(t, p, "at a lower head of the same chain")
	first.at(168, "a")
	answers(t, p, "at the head again")
	second.at(167, "b")
	first.at(167, "b")
	answers(t, p, "after a block was replaced")
}

func TestLowerHeadOfTheFollowedUpstreamIsAReorgAfterAMinute(t *testing.T) {
	t.Parallel()
	p, clock, first, _ := openFollowed(t, followed["a nonce at the head"])
	first.at(166, "a")
	refuses(t, p, "at once")
	clock.advance(time.Minute)
	answers(t, p, "after a minute")
}

// waitingClock does something whenever something waits.
type waitingClock struct {
	*fakeClock
	does func()
}

func (c waitingClock) Wait(ctx context.Context, d time.Duration) {
	c.does()
	c.fakeClock.Wait(ctx, d)
}
