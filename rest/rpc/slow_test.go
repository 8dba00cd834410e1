package rpc_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"astrolabe/access/accesstest"
	"astrolabe/access/streams"
	"astrolabe/domain/gateway"
	"astrolabe/repo/repotest"
	"astrolabe/rest/rpc"
)

// flood is a node whose only subscription sends what the test gives it.
type flood struct{ messages chan json.RawMessage }

// Forward implements gateway.Node.
func (flood) Forward(context.Context, gateway.Call) (json.RawMessage, error) {
	return nil, gateway.ErrSaturated
}

// Follow implements gateway.Node.
func (f flood) Follow(string) gateway.Follower { return f }

// Notified implements gateway.Node.
func (flood) Notified([]string, gateway.Notification) {}

// Next implements gateway.Follower.
func (f flood) Next(context.Context, json.RawMessage) (gateway.NodeSubscription, error) {
	return floodSubscription(f), nil
}

type floodSubscription flood

// Next implements gateway.NodeSubscription.
func (f floodSubscription) Next(ctx context.Context) (gateway.Notification, error) {
	select {
	case result := <-f.messages:
		return gateway.Notification{Method: "starknet_subscriptionNewTransaction", Result: result}, nil
	case <-ctx.Done():
		return gateway.Notification{}, ctx.Err()
	}
}

// Close implements gateway.NodeSubscription.
func (floodSubscription) Close(error) {}

func TestSlowClientIsClosedWith4008AndDelaysNobody(t *testing.T) {
	t.Parallel()
	node := flood{make(chan json.RawMessage)}
	s := &service{t: t, log: new(syncBuffer), socks: rpc.NewSockets(streams.New(streams.Limit, streams.Each))}
	db := repotest.Open(t)
	s.access = accesstest.New(t, db, time.Now)
	s.serve(db, node)
	slow, fast := s.socket(), s.socket()
	const method = "starknet_subscribeNewTransactions"
	slow.subscribe(method, `{}`)
	fast.subscribe(method, `{}`)
	large := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	for range 64 { // more than the queue and the buffers of the connection hold
		select {
		case node.messages <- large:
		case <-time.After(30 * time.Second):
			t.Fatal("got a topic that waits for a slow client, want none")
		}
		fast.receive()
	}
	if code := slow.closed(); code != 4008 {
		t.Errorf("got the code %d, want 4008", code)
	}
	node.messages <- large
	fast.receive()
	if got := s.socks.Slow(); got != 1 {
		t.Errorf("got %d slow clients, want 1", got)
	}
}
