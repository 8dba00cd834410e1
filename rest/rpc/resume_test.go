package rpc_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/polltest"
)

// mine adds blocks to the simulated chain.
func (s *service) mine(blocks int) {
	s.t.Helper()
	if err := s.sim.Mine(blocks); err != nil {
		s.t.Fatal(err)
	}
}

func TestMissedHeadsAreDeliveredInOrderOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.socket()
	id := c.subscribe(newHeads, `[]`)
	s.cut() // before the first message
	s.mine(3)
	for number := uint64(31); number <= 33; number++ {
		if n, at := c.notice(); at.Number != number || n.Params.ID != id {
			t.Fatalf("got block %d of %s, want %d of %s", at.Number, n.Params.ID, number, id)
		}
	}
	s.cut()
	s.mine(2)
	direct, _, err := (&service{t: t, url: s.nodeURL, client: s.client}).dial("/")
	if err != nil {
		t.Fatal(err)
	}
	direct.subscribe(newHeads, `[{"block_number":34}]`)
	for number := uint64(34); number <= 36; number++ {
		if number == 36 {
			s.mine(1)
		}
		got, at := c.notice()
		want, _ := direct.notice()
		if at.Number != number {
			t.Fatalf("got block %d, want %d", at.Number, number)
		}
		if diff := cmp.Diff(decoded(t, want.Params.Result), decoded(t, got.Params.Result)); diff != "" {
			t.Errorf("header %d (-want +got):\n%s", number, diff)
		}
	}
}

func TestReorgDuringAnOutageIsToldFirst(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.socket()
	c.subscribe(newHeads, `[]`)
	s.mine(3)
	for range 3 {
		c.notice()
	}
	s.cut()
	if err := s.sim.Reorg(2); err != nil {
		t.Fatal(err)
	}
	s.mine(1)
	if n, at := c.notice(); n.Method != "starknet_subscriptionReorg" || at.First != 32 || at.Last != 33 {
		t.Fatalf("got %s %s, want the reorg of 32 to 33", n.Method, n.Params.Result)
	}
	for number := uint64(32); number <= 34; number++ {
		if n, at := c.notice(); at.Number != number {
			t.Fatalf("got %s %s, want block %d", n.Method, n.Params.Result, number)
		}
	}
	if err := s.sim.Reorg(1); err != nil { // without an outage
		t.Fatal(err)
	}
	if n, at := c.notice(); n.Method != "starknet_subscriptionReorg" || at.First != 34 {
		t.Errorf("got %s %s, want the reorg of 34", n.Method, n.Params.Result)
	}
	if _, at := c.notice(); at.Number != 34 {
		t.Errorf("got block %d, want 34 again", at.Number)
	}
}

func TestReorgOfBlocksBeforeTheSubscriptionIsToldWhole(t *testing.T) {
	t.Parallel()
	for _, method := range []string{newHeads, "starknet_subscribeEvents"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			c := s.socket()
			c.subscribe(method, `[]`)
			polltest.Until(t, "the 30 blocks before the subscription", func() bool { return s.sim.Counts()["starknet_getBlockWithTxHashes"] >= 30 })
			s.cut()
			if err := s.sim.Reorg(5); err != nil {
				t.Fatal(err)
			}
			s.mine(1)
			if n, at := c.notice(); n.Method != "starknet_subscriptionReorg" || at.First != 26 || at.Last != 30 {
				t.Fatalf("got %s %s, want the reorg of 26 to 30", n.Method, n.Params.Result)
			}
			if n, at := c.notice(); at.Number != 26 {
				t.Errorf("got %s %s, want block 26 first", n.Method, n.Params.Result)
			}
		})
	}
}

func TestMissedEventsAreDeliveredOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.socket()
	c.subscribe("starknet_subscribeEvents", `{}`)
	s.cut()
	s.mine(2)
	first, at := c.notice() // of block 31
	if at.Number != 31 {
		t.Fatalf("got an event of block %d, want 31", at.Number)
	}
	s.cut()
	s.mine(1)
	direct, _, err := (&service{t: t, url: s.nodeURL, client: s.client}).dial("/")
	if err != nil {
		t.Fatal(err)
	}
	direct.subscribe("starknet_subscribeEvents", `{"block_id":{"block_number":31}}`)
	if n, _ := direct.notice(); string(n.Params.Result) != string(first.Params.Result) {
		t.Fatalf("got %s, want the first event %s", first.Params.Result, n.Params.Result)
	}
	s.mine(1) // block 34
	for blocks := map[uint64]bool{}; !blocks[34]; {
		want, at := direct.notice()
		if got, _ := c.notice(); string(got.Params.Result) != string(want.Params.Result) {
			t.Fatalf("got %s, want %s", got.Params.Result, want.Params.Result)
		}
		blocks[at.Number] = true
	}
}

func TestReorgOfEventsDuringAnOutageIsToldFirst(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.socket()
	c.subscribe("starknet_subscribeEvents", `{"block_id":{"block_number":30}}`)
	s.mine(1)
	for {
		if _, at := c.notice(); at.Number == 31 {
			break
		}
	}
	s.cut()
	if err := s.sim.Reorg(1); err != nil {
		t.Fatal(err)
	}
	for {
		n, at := c.notice()
		if n.Method == "starknet_subscriptionReorg" {
			if at.First != 31 || at.Last != 31 {
				t.Errorf("got %s, want the reorg of 31", n.Params.Result)
			}
			break
		}
	}
	if n, at := c.notice(); at.Number != 31 {
		t.Errorf("got %s, want the events of 31 again", n.Params.Result)
	}
}

func TestStatusOfATransactionIsNotRepeatedAfterAnOutage(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hash := s.transaction(30)
	c, late := s.socket(), s.socket()
	c.subscribe("starknet_subscribeTransactionStatus", `["`+hash+`"]`)
	first, _ := c.notice()
	late.subscribe("starknet_subscribeTransactionStatus", `["`+hash+`"]`)
	if n, _ := late.notice(); string(n.Params.Result) != string(first.Params.Result) {
		t.Errorf("got %s, want a late subscriber to get the status %s", n.Params.Result, first.Params.Result)
	}
	if count := s.sim.Counts()["starknet_subscribeTransactionStatus"]; count != 1 {
		t.Errorf("got %d subscriptions at the node, want one", count)
	}
	s.cut()
	polltest.Until(t, "the subscription after the outage", func() bool { return s.sim.Counts()["starknet_subscribeTransactionStatus"] == 2 })
	c.subscribe(newHeads, `[]`)
	s.mine(1)
	if n, at := c.notice(); at.Number != 31 {
		t.Errorf("got %s, want the next head and no repeated status", n.Params.Result)
	}
}

func decoded(t *testing.T, text json.RawMessage) (value map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
