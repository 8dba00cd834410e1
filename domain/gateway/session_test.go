package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/account"
)

// script is a node whose subscriptions a test plays.
type script struct {
	fakeNode
	mu       sync.Mutex
	opened   []*line
	asked    []string // params of the subscriptions
	refuse   func(params string) error
	notified []string // the callers of the notifications, before they receive them
}

// Notified implements Node.
func (s *script) Notified(callers []string, n Notification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notified = append(s.notified, fmt.Sprint(callers, " ", brief(Message{Notification: &n})))
}

// line is one subscription at the node.
type line struct{ messages chan Notification }

func (s *script) Follow(string) Follower { return s }

// Next implements Follower.
func (s *script) Next(_ context.Context, params json.RawMessage) (NodeSubscription, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, string(params))
	if s.refuse != nil {
		if err := s.refuse(string(params)); err != nil {
			time.Sleep(time.Second) // a follower pauses after a failure
			return nil, err
		}
	}
	l := &line{make(chan Notification, 100_000)}
	s.opened = append(s.opened, l)
	return l, nil
}

var errCut = errors.New("the connection was cut")

// Next implements NodeSubscription.
func (l *line) Next(ctx context.Context) (Notification, error) {
	select {
	case n, ok := <-l.messages:
		if !ok {
			return Notification{}, errCut
		}
		return n, nil
	case <-ctx.Done():
		return Notification{}, ctx.Err()
	}
}

// Close implements NodeSubscription.
func (*line) Close(error) {}

// newest returns the newest subscription once everything waits.
func (s *script) newest() *line {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened[len(s.opened)-1]
}

func (s *script) subscriptions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// cut loses the subscription, and waits for the next one.
func (s *script) cut() *line {
	close(s.newest().messages)
	time.Sleep(time.Minute)
	return s.newest()
}

func (l *line) head(number int, fork string) {
	l.messages <- Notification{"starknet_subscriptionNewHeads", json.RawMessage(headText(number, fork))}
}

// headText is a header of a fork; the forks differ from block 100 on.
func headText(number int, fork string) string {
	return fmt.Sprintf(`{"block_number":%d,"block_hash":"%s","parent_hash":"%s"}`, number, hashOf(number, fork), hashOf(number-1, fork))
}

func hashOf(number int, fork string) string {
	if number < 100 {
		fork = "0"
	}
	return fmt.Sprintf("0x%s%d", fork, number+1000)
}

// chainOf answers reads of a chain with a head on a fork.
func chainOf(head *int, fork *string) func(context.Context, Call) (json.RawMessage, error) {
	return func(_ context.Context, c Call) (json.RawMessage, error) {
		if c.Method == "starknet_blockNumber" {
			return json.RawMessage(fmt.Sprint(*head)), nil
		}
		for number := 0; number <= *head; number++ {
			named := fmt.Sprintf(`[{"block_number":%d}]`, number)
			hashed := strings.TrimLeft(strings.TrimPrefix(hashOf(number, *fork), "0x"), "0")
			if string(c.Params) == named || strings.Contains(string(c.Params), `"0x`+hashed+`"`) {
				return json.RawMessage(strings.TrimSuffix(headText(number, *fork), "}") + `,"status":"ACCEPTED_ON_L2","transactions":[]}`), nil
			}
		}
		return nil, &NodeError{24, json.RawMessage(`{"code":24,"message":"Block not found"}`)}
	}
}

func openScript() (*Gateway, *script) {
	s := new(script)
	head, fork := 99, "a"
	s.answer = chainOf(&head, &fork)
	m := &meters{used: map[account.Metered]int{}}
	return New(Options{Node: s, Quotas: account.NewQuotas(m, time.Now), Now: time.Now}), s
}

// subscribed is a client with one subscription.
type subscribed struct {
	t *testing.T
	*Session
	id string
}

func subscribe(t *testing.T, g *Gateway, method, params string) subscribed {
	t.Helper()
	s := g.Open(t.Context())
	ask(t, s, method, params)
	m, err := s.Next(t.Context())
	if err != nil || !strings.HasPrefix(string(m.Answer), `result "`) {
		t.Fatalf("%s: got %s and %v, want an id", method, m.Answer, err)
	}
	synctest.Wait() // the gateway has fetched the blocks before
	return subscribed{t, s, strings.Trim(strings.TrimPrefix(string(m.Answer), "result "), `"`)}
}

func ask(t *testing.T, s *Session, method, params string) {
	t.Helper()
	err := s.Answer(callerWith(t.Context(), account.Read), request(method, params), func(a Answer) []byte {
		return fmt.Appendf(nil, "result %s%s%v", a.Result, a.NodeError, map[bool]any{true: "", false: a.Err}[a.Err == nil])
	})
	if err != nil {
		t.Errorf("%s: got %v, want an answer", method, err)
	}
}

// received returns what the client gets until nothing more comes, in short:
// "head 101a" or "reorg 100-101".
func (s subscribed) received() (got []string) {
	s.t.Helper()
	for {
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
		m, err := s.Next(ctx)
		cancel()
		if err != nil {
			synctest.Wait() // the gateway has fetched the blocks before
			return got
		}
		if m.Subscription != s.id {
			s.t.Errorf("got a message of the subscription %s, want %s", m.Subscription, s.id)
		}
		got = append(got, brief(m))
	}
}

func brief(m Message) string {
	var r reorg
	var b struct {
		Number int    `json:"block_number"`
		Hash   string `json:"block_hash"`
		Event  *int   `json:"event_index"`
	}
	if m.Method == reorgMethod {
		_ = json.Unmarshal(m.Result, &r)
		return fmt.Sprintf("reorg %d-%d", r.FirstNumber, r.LastNumber)
	}
	_ = json.Unmarshal(m.Result, &b)
	fork := strings.TrimSuffix(strings.TrimPrefix(b.Hash, "0x"), fmt.Sprint(b.Number+1000))
	if b.Event != nil {
		return fmt.Sprintf("event %d%s.%d", b.Number, fork, *b.Event)
	}
	return fmt.Sprintf("head %d%s", b.Number, fork)
}

func requireReceived(t *testing.T, s subscribed, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.received()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

const heads = "starknet_subscribeNewHeads"

func TestIdenticalSubscriptionsShareATopic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		a, b := subscribe(t, g, heads, `[]`), subscribe(t, g, heads, `[]`)
		if n := node.subscriptions(); n != 1 {
			t.Errorf("got %d subscriptions at the node, want 1", n)
		}
		replay := subscribe(t, g, heads, `["latest"]`)
		other := subscribe(t, g, heads, `["latest"]`)
		if n := node.subscriptions(); n != 3 {
			t.Errorf("got %d subscriptions at the node, want one more for each that names a block", n)
		}
		node.opened[0].head(100, "a")
		requireReceived(t, a, "head 100a")
		requireReceived(t, b, "head 100a")
		requireReceived(t, replay)
		for _, s := range []subscribed{a, b, replay, other} {
			s.Close()
		}
		synctest.Wait()
		if g.feeds.open != 0 || len(g.feeds.shared) != 0 {
			t.Errorf("got %d topics after the last subscriber left, want none", g.feeds.open)
		}
	})
}

func TestMessagesCountForTheHeadThatTheirCallersHaveSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		s := subscribe(t, g, heads, `[]`)
		defer s.Close()
		node.newest().head(100, "a")
		requireReceived(t, s, "head 100a")
		want := []string{fmt.Sprint([]string{meterOf(callerWith(t.Context(), account.Read))}, " head 100a")}
		if diff := cmp.Diff(want, node.notified); diff != "" {
			t.Errorf("the calls of Notified (-want +got):\n%s", diff)
		}
	})
}

func TestSlowClientLosesItsSessionAndDelaysNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		slow, fast := subscribe(t, g, heads, `[]`), subscribe(t, g, heads, `[]`)
		defer slow.Close()
		defer fast.Close()
		for range 3 {
			for i := range maxQueued/2 + 1 {
				node.newest().head(100+i, "a")
			}
			if got := len(fast.received()); got != maxQueued/2+1 {
				t.Fatalf("the fast client got %d messages, want %d", got, maxQueued/2+1)
			}
		}
		if _, err := slow.Next(t.Context()); !errors.Is(err, ErrSlowClient) {
			t.Errorf("got %v, want %v", err, ErrSlowClient)
		}
	})
}

func TestReplayWaitsForItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		s := subscribe(t, g, heads, `[{"block_number":1}]`)
		defer s.Close()
		for i := range 2 * maxQueued {
			node.opened[0].head(i, "a")
		}
		if got := len(s.received()); got != 2*maxQueued {
			t.Errorf("got %d messages, want %d", got, 2*maxQueued)
		}
	})
}

func TestRefusalOfTheNodePassesUnchanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		raw := `{ "code":68, "message":"Cannot go back more than 1024 blocks" }`
		node.refuse = func(string) error { return &NodeError{68, json.RawMessage(raw)} }
		s := g.Open(t.Context())
		defer s.Close()
		ask(t, s, heads, `[{"block_number":1}]`)
		if m, err := s.Next(t.Context()); err != nil || string(m.Answer) != "result "+raw {
			t.Errorf("got %s and %v, want %s", m.Answer, err, raw)
		}
		if s.Subscriptions() != 0 {
			t.Errorf("got %d subscriptions, want none", s.Subscriptions())
		}
	})
}

func TestSubscriptionWithoutAnUpstreamIsUnavailable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		node.refuse = func(string) error { return &UnavailableError{Cause: errCut} }
		s := g.Open(t.Context())
		defer s.Close()
		ask(t, s, heads, `[]`)
		if m, _ := s.Next(t.Context()); !strings.Contains(string(m.Answer), string(ReasonUpstream)) {
			t.Errorf("got %s, want %s", m.Answer, ReasonUpstream)
		}
		if n := node.subscriptions(); n != openAttempts {
			t.Errorf("got %d attempts, want %d", n, openAttempts)
		}
	})
}

func TestSubscriptionDuringAnOutageWaitsForTheNode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		first := subscribe(t, g, heads, `[]`)
		defer first.Close()
		var down atomic.Bool
		down.Store(true)
		node.refuse = func(string) error {
			if down.Load() {
				return &UnavailableError{Cause: errCut}
			}
			return nil
		}
		close(node.newest().messages)
		synctest.Wait()
		impatient, patient := g.Open(t.Context()), g.Open(t.Context())
		defer impatient.Close()
		defer patient.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var refused *Error
		err := impatient.Answer(callerWith(ctx, account.Read), request(heads, `[]`), func(a Answer) []byte {
			refused = a.Err
			return nil
		})
		if err != nil || refused == nil || refused.Reason != ReasonUpstream {
			t.Errorf("got %v and %v, want %s after the time limit of the request", refused, err, ReasonUpstream)
		}
		go ask(t, patient, heads, `[]`)
		synctest.Wait()
		down.Store(false)
		if m, err := patient.Next(t.Context()); err != nil || string(m.Answer) != `result "1"` {
			t.Errorf("got %s and %v, want an id", m.Answer, err)
		}
		node.newest().head(100, "a")
		requireReceived(t, first, "head 100a")
		requireReceived(t, subscribed{t, patient, "1"}, "head 100a")
		if impatient.Subscriptions() != 0 {
			t.Errorf("got %d subscriptions after the time limit, want none", impatient.Subscriptions())
		}
	})
}

func TestSubscriptionTakesOnePlaceWhenItsAnswerIsQueued(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		s := g.Open(t.Context())
		defer s.Close()
		requireTaken := func(params string, want int) {
			t.Helper()
			taken := -1
			err := s.Answer(callerWith(t.Context(), account.Read), request(heads, params), func(Answer) []byte {
				taken = s.Subscriptions() + s.reserved
				return []byte("result")
			})
			if err != nil || taken != want {
				t.Errorf("params %s: got %d places taken and %v, want %d", params, taken, err, want)
			}
		}
		requireTaken(`[]`, 1)
		requireTaken(`[]`, 2)
		node.refuse = func(string) error { return &NodeError{24, json.RawMessage(`{"code":24,"message":"Block not found"}`)} }
		requireTaken(`[{"block_number":9999}]`, 2)
	})
}

func TestTopicsAreBounded(t *testing.T) {
	t.Parallel()
	g, _ := openScript()
	g.feeds.open = maxTopics
	s := g.Open(t.Context())
	defer s.Close()
	ask(t, s, heads, `[]`)
	if m, _ := s.Next(t.Context()); !strings.Contains(string(m.Answer), string(ReasonSaturated)) {
		t.Errorf("got %s, want %s", m.Answer, ReasonSaturated)
	}
}

func TestOneWorkspaceCannotTakeAllTopics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := openScript()
		join := func(workspace string, transaction int) error {
			ctx := account.WithCaller(t.Context(), &account.Caller{Kind: account.ByKey, Subject: "k", Workspace: workspace})
			m, _ := Lookup(subscribeStatus)
			leave, err := g.feeds.join(ctx, m, fmt.Appendf(nil, `["0x%x"]`, transaction),
				&subscriber{ready: make(chan error, 1), begin: func() {}, deliver: func(context.Context, *Notification) {}, lost: func(error) {}})
			if err == nil {
				t.Cleanup(leave)
			}
			return err
		}
		for i := range maxOwnTopics {
			if err := join("greedy", i); err != nil {
				t.Fatalf("subscription %d: got %v, want it made", i, err)
			}
		}
		if err := join("greedy", maxOwnTopics); !errors.Is(err, ErrSaturated) {
			t.Errorf("one more: got %v, want %v", err, ErrSaturated)
		}
		if err := join("greedy", 0); err != nil {
			t.Errorf("one that exists: got %v, want to join it", err)
		}
		if err := join("modest", maxOwnTopics); err != nil {
			t.Errorf("another workspace: got %v, want it made", err)
		}
	})
}
