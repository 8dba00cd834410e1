package sim

import (
	"context"
	"errors"
	"testing"
	"time"

	"astrolabe/sim/chain"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

// TestReorgReplacesBlocksAndKeepsTheChainWhole checks that a chain is
// consistent after reorgs of several depths.
func TestReorgReplacesBlocksAndKeepsTheChainWhole(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 30, Seed: 3})
	c := connect(t, n)
	before := map[uint64]starknet.Felt{}
	for number := range uint64(31) {
		b, err := n.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		before[number] = b.Header.BlockHash
	}
	old, err := n.Block(5)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Reorg(13); !errors.Is(err, chain.ErrAcceptedOnL1) {
		t.Errorf("a reorg of a block that is accepted on L1: got %v, want %v", err, chain.ErrAcceptedOnL1)
	}
	put(t, n, fault.Fault{Kind: fault.L1Reorg})
	for _, depth := range []int{1, 2, 26} {
		if err := n.Reorg(depth); err != nil {
			t.Fatal(err)
		}
	}
	again := 0
	for number := range uint64(31) {
		b, err := n.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		if same := b.Header.BlockHash == before[number]; same != (number <= 4) {
			t.Errorf("block %d is the same: got %v, want %v", number, same, number <= 4)
		}
		for i := range b.Transactions {
			for j := range old.Transactions {
				if b.Transactions[i].Hash == old.Transactions[j].Hash {
					again++
				}
			}
		}
	}
	if again == 0 || again == len(old.Transactions) {
		t.Errorf("got %d of %d transactions of an old block again, want some but not all", again, len(old.Transactions))
	}
	if code := c.code("starknet_getBlockWithTxHashes", byHash(before[30])); code != 24 {
		t.Errorf("an orphaned block: got code %d, want 24", code)
	}
	if err := n.Mine(30); err != nil {
		t.Fatal(err)
	}
	readAlong(t, c, n.network.ID)
	if err := n.Reorg(10_000); err == nil {
		t.Error("a reorg of more blocks than there are: got no error, want one")
	}
}

func TestSubscribersHearOfReorgs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n := testNode(t, Config{Blocks: 20})
	s := connect(t, n).socket(ctx)
	s.subscribe("starknet_subscribeNewHeads", map[string]any{"block_id": at(19)})
	var head starknet.BlockHeader
	for number := uint64(19); number <= 20; number++ {
		if s.expect("starknet_subscriptionNewHeads", &head); head.BlockNumber != number {
			t.Fatalf("got head %d, want %d", head.BlockNumber, number)
		}
	}
	first, err := n.Block(18)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Reorg(3); err != nil {
		t.Fatal(err)
	}
	var gone struct {
		FirstHash starknet.Felt `json:"starting_block_hash"`
		First     uint64        `json:"starting_block_number"`
		LastHash  starknet.Felt `json:"ending_block_hash"`
		Last      uint64        `json:"ending_block_number"`
	}
	s.expect("starknet_subscriptionReorg", &gone)
	if gone.First != 18 || gone.Last != 20 || gone.FirstHash != first.Header.BlockHash || gone.LastHash != head.BlockHash {
		t.Errorf("got the reorg %+v, want blocks 18 (%s) to 20 (%s)", gone, first.Header.BlockHash, head.BlockHash)
	}
	for number := uint64(18); number <= 20; number++ {
		s.expect("starknet_subscriptionNewHeads", &head)
		if b, err := n.Block(number); err != nil || head.BlockHash != b.Header.BlockHash {
			t.Errorf("head %d after the reorg: got %+v, %v, want the hash of the chain", number, head, err)
		}
	}
}

func TestSubscriptionsEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n := testNode(t, Config{Blocks: 5})
	c := connect(t, n)
	s := c.socket(ctx)
	first := s.subscribe("starknet_subscribeNewHeads", nil)
	second := s.subscribe("starknet_subscribeNewHeads", nil)
	if m := s.send("starknet_unsubscribe", map[string]any{"subscription_id": first}); string(m.Result) != "true" {
		t.Errorf("unsubscribing: got %+v, want true", m)
	}
	if m := s.send("starknet_unsubscribe", map[string]any{"subscription_id": first}); m.Error == nil || m.Error.Code != 66 {
		t.Errorf("unsubscribing again: got %+v, want error 66", m)
	}
	if err := n.Mine(1); err != nil {
		t.Fatal(err)
	}
	if m := s.next(); m.Params.ID != second {
		t.Errorf("got a message for subscription %s, want %s", m.Params.ID, second)
	}
	if m := s.send("starknet_blockNumber", nil); string(m.Result) != "6" {
		t.Errorf("a plain call over the socket: got %+v, want 6", m)
	}
	if m := s.send("starknet_subscribeNewHeads", map[string]any{"block_id": at(99)}); m.Error == nil || m.Error.Code != 24 {
		t.Errorf("a subscription from the future: got %+v, want error 24", m)
	}
}

func TestTransactionStatusIsFollowedToL1(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n := testNode(t, Config{Blocks: 20, L1Lag: 2})
	c := connect(t, n)
	invoke, _, _ := broadcasts(t, n)
	var added struct {
		Hash starknet.Felt `json:"transaction_hash"`
	}
	c.result(&added, "starknet_addInvokeTransaction", invoke)
	s := c.socket(ctx)
	s.subscribe("starknet_subscribeTransactionStatus", map[string]any{"transaction_hash": added.Hash})
	for _, want := range []string{"PRE_CONFIRMED", "ACCEPTED_ON_L2", "ACCEPTED_ON_L1"} {
		var news struct {
			Status struct {
				Finality string `json:"finality_status"`
			} `json:"status"`
		}
		s.expect("starknet_subscriptionTransactionStatus", &news)
		if news.Status.Finality != want {
			t.Errorf("got status %s, want %s", news.Status.Finality, want)
		}
		if err := n.Mine(2); err != nil {
			t.Fatal(err)
		}
	}
}

// TestClientsTransactionsSurviveReorgs follows a client's transaction into the block that
// replaces its own.
func TestClientsTransactionsSurviveReorgs(t *testing.T) {
	t.Parallel()
	n := testNode(t, Config{Blocks: 20})
	c := connect(t, n)
	invoke, _, _ := broadcasts(t, n)
	var added struct {
		Hash starknet.Felt `json:"transaction_hash"`
	}
	c.result(&added, "starknet_addInvokeTransaction", invoke)
	if err := n.Mine(2); err != nil {
		t.Fatal(err)
	}
	old, err := n.Block(21)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Reorg(4); err != nil {
		t.Fatal(err)
	}
	var receipt starknet.Receipt
	c.result(&receipt, "starknet_getTransactionReceipt", added.Hash)
	if receipt.BlockHash == nil || *receipt.BlockHash == old.Header.BlockHash || *receipt.BlockNumber != 19 {
		t.Errorf("got the transaction in block %d, %s, want 19 and another than %s", *receipt.BlockNumber, receipt.BlockHash, old.Header.BlockHash)
	}
}
