package node

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/node/socket"
	"astrolabe/node/wire"
	"astrolabe/polltest"
	"astrolabe/starknet"
)

// receive returns the next message of a stream, or fails the test.
func receive[T any](t *testing.T, s *Stream[T]) T {
	t.Helper()
	select {
	case v, ok := <-s.Messages():
		if !ok {
			_, err := s.State()
			t.Fatalf("the stream ended: got %v, want a message", err)
		}
		return v
	case <-time.After(time.Minute):
		_, err := s.State()
		t.Fatalf("got no message and %v, want one", err)
	}
	panic("unreachable")
}

// expect checks that the stream's next messages are these: "resumed", "head N"
// or "reorg N-M".
func expect(t *testing.T, s *Stream[HeadNews], want ...string) {
	t.Helper()
	for _, w := range want {
		var got string
		switch news := receive(t, s); {
		case news.Resumed:
			got = "resumed"
		case news.Head != nil:
			got = fmt.Sprintf("head %d", news.Head.BlockNumber)
		case news.Reorg != nil:
			got = fmt.Sprintf("reorg %d-%d", news.Reorg.First.Number, news.Reorg.Last.Number)
		}
		if got != w {
			t.Fatalf("received %q, want %q", got, w)
		}
	}
}

func TestSubscriptionResumesAfterALostConnection(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	n := newFakeNode(t)
	for i := range 3 {
		n.sockets <- func(s *fakeSocket) {
			s.subscribed()
			s.newHead(10 + i)
			s.newHead(20 + i)
			if i == 2 {
				s.stay()
			} // else the connection is cut
		}
	}
	p := openPool(t, func(o *Options) { o.clock = clock }, n)
	s := p.SubscribeHeads(t.Context())
	expect(t, s, "resumed", "head 10", "head 20", "resumed", "head 11", "head 21", "resumed", "head 12", "head 22")
	if state, err := s.State(); state != StreamLive || err != nil {
		t.Errorf("got the stream %s and %v, want %s", state, err, StreamLive)
	}
	if checked := len(n.calls("starknet_chainId")); checked != 3 {
		t.Errorf("got %d identity checks of three connections, want 3", checked)
	}
	if waited := clock.waited(); len(waited) != 2 || waited[0] < 250*time.Millisecond || waited[1] > 500*time.Millisecond {
		t.Errorf("got the waits %v, want two from 250ms to 500ms", waited)
	}
	s.Close()
	s.Close()
	if state, err := s.State(); state != StreamEnded || !errors.Is(err, context.Canceled) {
		t.Errorf("got the stream %s and %v, want %s and %v", state, err, StreamEnded, context.Canceled)
	}
	if _, open := <-s.Messages(); open {
		t.Error("got a message of a closed stream, want none")
	}
}

func TestStreamFailsOverWithIncreasingBackoff(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	down, wrong, good := newFakeNode(t), newFakeNode(t), newFakeNode(t)
	wrong.sockets <- func(s *fakeSocket) {
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"0x534e5f4d41494e"}`, s.receive().ID)
		s.stay()
	}
	p := openPool(t, func(o *Options) { o.clock = clock }, down, wrong, good)
	good.sockets <- func(s *fakeSocket) {
		s.subscribed()
		s.newHead(1)
		s.stay()
	}
	expect(t, p.SubscribeHeads(t.Context()), "resumed", "head 1")
	waited := clock.waited()
	if len(waited) != 2 || waited[0] >= waited[1] || waited[1] > time.Second {
		t.Errorf("got the waits %v, want two, increasing and at most 1s", waited)
	}
}

func TestBackoffIsBounded(t *testing.T) {
	t.Parallel()
	for failures := range 100 {
		if d := backoff(failures); d < 250*time.Millisecond || d > 30*time.Second {
			t.Errorf("after %d failures: got a wait of %v, want 250ms to 30s", failures, d)
		}
	}
}

func TestStreamOfAnotherChainIsNeverLive(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.sockets <- func(s *fakeSocket) {
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"0x534e5f4d41494e"}`, s.receive().ID)
		s.stay()
	}
	p := openPool(t, nil, n)
	s := p.SubscribeHeads(t.Context())
	polltest.Until(t, "the reason of the failure", func() bool {
		state, err := s.State()
		return state == StreamConnecting && errors.Is(err, chain.ErrWrongChain)
	})
	if len(n.calls("starknet_subscribeNewHeads")) != 0 {
		t.Error("got a subscription, want none")
	}
}

func TestRefusedSubscriptionEndsTheStream(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.sockets <- func(s *fakeSocket) {
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"0x534e5f5345504f4c4941"}`, s.receive().ID)
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"0.10.2"}`, s.receive().ID)
		s.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":68,"message":"Cannot go back more than 1024 blocks"}}`, s.receive().ID)
		s.stay()
	}
	p := openPool(t, nil, n)
	s := p.Subscribe(t.Context(), "starknet_subscribeEvents", []byte(`{ "block_id":{"block_number":0} }`))
	if _, open := <-s.Messages(); open {
		t.Error("got a message of a rejected subscription, want none")
	}
	state, err := s.State()
	if refusal, ok := errors.AsType[*RPCError](err); state != StreamEnded || !ok || refusal.Code != 68 {
		t.Errorf("got the stream %s and %v, want %s with the code 68", state, err, StreamEnded)
	}
	if body := string(n.calls("starknet_subscribeEvents")[0].body); !strings.Contains(body, `"params":{ "block_id":{"block_number":0} }`) {
		t.Errorf("got the request %s, want the params unchanged", body)
	}
}

func TestSlowReaderEndsTheStream(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.sockets <- func(s *fakeSocket) {
		s.subscribed()
		for i := range 10 {
			s.newHead(i)
		}
		s.stay()
	}
	p := openPool(t, func(o *Options) { o.StreamBuffer = 3 }, n)
	s := p.SubscribeHeads(t.Context())
	polltest.Until(t, "the end of the stream", func() bool { state, _ := s.State(); return state == StreamEnded })
	if _, err := s.State(); !errors.Is(err, ErrSlowConsumer) {
		t.Errorf("the stream ended with %v, want %v", err, ErrSlowConsumer)
	}
	expect(t, s, "resumed", "head 0", "head 1") // what was received in order is not lost
	if _, open := <-s.Messages(); open {
		t.Error("got more messages than the buffer holds, want the stream to end")
	}
}

func TestReorgIsReported(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.sockets <- func(s *fakeSocket) {
		s.subscribed()
		s.newHead(7)
		s.notify("starknet_subscriptionReorg", `{"starting_block_hash":"0x5","starting_block_number":5,"ending_block_hash":"0x7","ending_block_number":7}`)
		s.newHead(5)
		s.stay()
	}
	p := openPool(t, nil, n)
	s := p.SubscribeHeads(t.Context())
	expect(t, s, "resumed", "head 7")
	want := wire.Reorg{
		First: domain.BlockRef{Number: 5, Hash: starknet.MustFelt("0x5")},
		Last:  domain.BlockRef{Number: 7, Hash: starknet.MustFelt("0x7")},
	}
	if news := receive(t, s); news.Reorg == nil || *news.Reorg != want {
		t.Errorf("got %+v, want the reorg %+v", news, want)
	}
	expect(t, s, "head 5")
}

func TestRawStreamKeepsResultsByteForByte(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	const text = `{ "x" : 1.0 , "y":"\u0041" }`
	n.sockets <- func(s *fakeSocket) {
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"0x534e5f5345504f4c4941"}`, s.receive().ID)
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"0.10.2"}`, s.receive().ID)
		id := s.receive().ID
		s.notify("starknet_subscriptionEvents", `"before its time"`)
		s.send(`{"jsonrpc":"2.0","id":%s,"result":"sub"}`, id)
		s.notify("starknet_subscriptionEvents", text)
		s.stay()
	}
	p := openPool(t, nil, n)
	s := p.Subscribe(t.Context(), "starknet_subscribeEvents", nil)
	for _, want := range []Notification{
		{Resumed: true},
		{Notification: socket.Notification{Method: "starknet_subscriptionEvents", Result: []byte(`"before its time"`)}},
		{Notification: socket.Notification{Method: "starknet_subscriptionEvents", Result: []byte(text)}},
	} {
		got := receive(t, s)
		if got.Resumed != want.Resumed || got.Method != want.Method || string(got.Result) != string(want.Result) {
			t.Errorf("received %+v, want %+v", got, want)
		}
	}
}

func TestUnexpectedMessageClosesTheConnection(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads","params":{"subscription_id":"other","result":` + header(1) + `}}`,
		`{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads","params":{"subscription_id":7,"result":` + header(1) + `}}`,
		`{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads","params":{"result":` + header(1) + `}}`,
		`{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads","params":{"subscription_id":"sub"}}`,
		`{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads","params":{"subscription_id":"sub","result":{}}}`,
		`{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads","params":{"subscription_id":"sub","result":` + strings.Replace(header(1), "0xabd", "0x0", 1) + `}}`,
		`{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads"}`,
		`{"jsonrpc":"2.0","method":"starknet_subscriptionReorg","params":{"subscription_id":"sub","result":{"starting_block_hash":"0x5","starting_block_number":9,"ending_block_hash":"0x7","ending_block_number":7}}}`,
		`{"jsonrpc":"2.0","method":"starknet_subscriptionEvents","params":{"subscription_id":"sub","result":{}}}`,
		`{"jsonrpc":"2.0","method":"starknet_subscription\"","params":{"subscription_id":"sub","result":` + header(1) + `}}`,
		`{"jsonrpc":"2.0","method":"other","params":{"subscription_id":"sub","result":` + header(1) + `}}`,
		`{"jsonrpc":"2.0","id":4,"result":true}`,
		`{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads","par`,
		`[]`,
		``,
	} {
		n := newFakeNode(t)
		n.sockets <- func(s *fakeSocket) {
			s.subscribed()
			s.send("%s", text)
			s.stay()
		}
		n.sockets <- func(s *fakeSocket) {
			s.subscribed()
			s.newHead(2)
			s.stay()
		}
		p := openPool(t, func(o *Options) { o.clock = newFakeClock() }, n)
		expect(t, p.SubscribeHeads(t.Context()), "resumed", "resumed", "head 2")
	}
}

func TestSilentConnectionIsDetected(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.sockets <- func(s *fakeSocket) {
		s.subscribed()
		<-t.Context().Done() // never reads, so that pings stay unanswered
	}
	n.sockets <- func(s *fakeSocket) {
		s.subscribed()
		s.newHead(1)
		s.stay()
	}
	p := openPool(t, func(o *Options) { o.clock, o.timing.ping = newFakeClock(), 2*time.Second }, n)
	expect(t, p.SubscribeHeads(t.Context()), "resumed", "resumed", "head 1")
}

func TestStreamIsNotBoundByTheCallTimeout(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	const timeout = 3 * time.Second
	n.sockets <- func(s *fakeSocket) {
		s.subscribed()
		<-time.After(2 * timeout)
		s.newHead(1)
		s.stay()
	}
	p := openPool(t, func(o *Options) { o.Timeout = timeout }, n)
	expect(t, p.SubscribeHeads(t.Context()), "resumed", "head 1")
}

func TestUnresponsiveConnectionIsAbandoned(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.sockets <- func(s *fakeSocket) { s.stay() }
	n.sockets <- func(s *fakeSocket) {
		for s.conn.Write(s.ctx, websocket.MessageText, []byte(`{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads"}`)) == nil {
		}
	}
	n.sockets <- func(s *fakeSocket) {
		s.subscribed()
		s.stay()
	}
	p := openPool(t, func(o *Options) { o.clock, o.Timeout = newFakeClock(), 3*time.Second }, n)
	expect(t, p.SubscribeHeads(t.Context()), "resumed")
}

func TestClosingThePoolEndsItsStreams(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.sockets <- func(s *fakeSocket) {
		s.subscribed()
		s.stay()
	}
	p := openPool(t, nil, n)
	s := p.SubscribeHeads(context.Background())
	expect(t, s, "resumed")
	p.Close()
	if state, err := s.State(); state != StreamEnded || !errors.Is(err, ErrClosed) {
		t.Errorf("got the stream %s and %v, want %s and %v", state, err, StreamEnded, ErrClosed)
	}
}
