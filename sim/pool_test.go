package sim_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/node"
	"astrolabe/sim"
	"astrolabe/sim/fault"
)

// TestOurOwnClientReadsEverything reads a simulated chain with the indexer's
// client, which checks every response, and receives the news of its new blocks.
func TestOurOwnClientReadsEverything(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n, err := sim.New(sim.Config{Blocks: 60, Chain: "SN_SEPOLIA"})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(n.Handler())
	defer server.Close()
	pool, err := node.Open(node.Options{Chain: domain.Sepolia, URLs: []string{server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	classes := 0
	for number := range uint64(61) {
		b, err := pool.BlockWithReceipts(ctx, node.AtNumber(number))
		if err != nil {
			t.Fatalf("block %d: %v", number, err)
		}
		truth, err := n.Block(number)
		if err != nil || b.BlockHash != truth.Header.BlockHash || len(b.Transactions) != len(truth.Transactions) {
			t.Fatalf("block %d: got %s with %d transactions, %v, want %s with %d", number, b.BlockHash, len(b.Transactions), err, truth.Header.BlockHash, len(truth.Transactions))
		}
		u, err := pool.StateUpdate(ctx, node.AtHash(b.BlockHash))
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range u.StateDiff.DeclaredClasses {
			class, err := pool.Class(ctx, node.AtNumber(number), declared.ClassHash)
			if err != nil {
				t.Fatal(err)
			}
			if hash, err := class.Hash(); err != nil || hash != declared.ClassHash {
				t.Errorf("got class hash %s, %v, want %s", hash, err, declared.ClassHash)
			}
			classes++
		}
	}
	if classes < 15 {
		t.Errorf("got %d declared classes, want at least 15", classes)
	}
	heads := pool.SubscribeHeads(ctx)
	for news := range heads.Messages() {
		if news.Resumed {
			break
		}
	}
	if err := n.Mine(1); err != nil {
		t.Fatal(err)
	}
	if news := <-heads.Messages(); news.Head == nil || news.Head.BlockNumber != 61 {
		t.Errorf("got the news %+v, want head 61", news)
	}
	if err := n.Reorg(2); err != nil {
		t.Fatal(err)
	}
	if news := <-heads.Messages(); news.Reorg == nil || news.Reorg.First.Number != 60 {
		t.Errorf("got the news %+v, want a reorg from block 60 on", news)
	}
}

// TestOurOwnClientRefusesANodeOfAnotherChain makes the node return the wrong
// chain id.
func TestOurOwnClientRefusesANodeOfAnotherChain(t *testing.T) {
	t.Parallel()
	n, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Fault(fault.Fault{Kind: fault.OtherChain}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(n.Handler())
	defer server.Close()
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{server.URL}, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if b, err := pool.BlockWithReceipts(t.Context(), node.AtNumber(0)); err == nil {
		t.Errorf("got block %s, want an error", b.BlockHash)
	}
	if n.Counts()["starknet_chainId"] == 0 || n.Counts()["starknet_getBlockWithReceipts"] != 0 {
		t.Errorf("got the calls %v, want starknet_chainId and no starknet_getBlockWithReceipts", n.Counts())
	}
}
