package index

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/integrity"
	"astrolabe/node"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
)

const (
	ofBlock  = "starknet_getBlockWithReceipts"
	ofUpdate = "starknet_getStateUpdate"
	ofClass  = "starknet_getClass"
)

// TestBlockWithoutCommitmentsIsRefusedAfterAFullOne strips a header of its
// commitments, of which the block before had all. A later leader, which knows that
// block only as it is stored, refuses it too.
func TestBlockWithoutCommitmentsIsRefusedAfterAFullOne(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	for field, value := range map[string]any{"timestamp": json.Number("1900000000"), "starknet_version": "0.13.1"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			w := newVerifiedWorld(t, sim.Config{Blocks: 4})
			p, pool := w.tampered()
			loop := w.loop("a")
			loop.Node = pool.Source()
			leader := w.leader(loop)
			w.catchUp(leader)
			p.tell(&lie{ofBlock, stripped(value, field)})
			if err := w.sim.Mine(1); err != nil {
				t.Fatal(err)
			}
			number := w.sim.Head().Header.BlockNumber
			want := map[string]string{"timestamp": "block_hash", "starknet_version": "starknet_version"}[field]
			for range 2 {
				err := leader.turn(t.Context())
				if m, ok := errors.AsType[*integrity.MismatchError](err); !ok || m.Field != want || m.Block != number || !strings.HasSuffix(p.url, "/"+m.Upstream) {
					t.Errorf("got %v, want a mismatch of %s of block %d at %s", err, want, number, p.url)
				}
				if status := w.status(); status.State != chain.Halted || status.ReasonCode != chain.ReasonNodeInconsistent {
					t.Errorf("got status %s %q, want %s %q", status.State, status.ReasonCode, chain.Halted, chain.ReasonNodeInconsistent)
				}
				leader = &turns{Loop: loop, lease: leader.lease, memory: newMemory()}
			}
			p.tell(nil)
			w.catchUp(leader)
			if got, want := digest(t, w.db), w.clean(nil); got != want {
				t.Errorf("got digest %s, want %s of a clean index", got, want)
			}
		})
	}
}

// TestChainWithoutCommitmentsIsAcceptedAndLoggedOnce indexes a chain whose hashes
// cannot be reproduced in any block.
func TestChainWithoutCommitmentsIsAcceptedAndLoggedOnce(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	w := newVerifiedWorld(t, sim.Config{Blocks: 4})
	p, pool := w.tampered()
	p.tell(&lie{ofBlock, stripped(json.Number("1900000000"), "timestamp")})
	var log bytes.Buffer
	loop := w.loop("a")
	loop.Node, loop.Logger = pool.Source(), slog.New(slog.NewTextHandler(&log, nil))
	for range 2 { // a leader after another
		w.catchUp(&turns{Loop: loop, lease: w.leader(loop).lease, memory: newMemory()})
		if err := w.sim.Mine(2); err != nil {
			t.Fatal(err)
		}
	}
	if level := w.status().Coverage.Verification; level != facts.TransactionsVerified {
		t.Errorf("got level %s, want %s", level, facts.TransactionsVerified)
	}
	if got := strings.Count(log.String(), "lower verification level"); got != 1 || !strings.Contains(log.String(), "block_hash") {
		t.Errorf("got %d lines about it, want one that names the field:\n%s", got, log.String())
	}
}

func TestMismatchNamesOnlyTheUpstreamThatLied(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	for method, change := range map[string]change{ofBlock: at("0x77", "parent_hash"), ofUpdate: func(result map[string]any) bool {
		diff, ok := result["state_diff"].(map[string]any)
		if ok {
			diff["nonces"] = []any{}
		}
		return ok
	}} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			w := newVerifiedWorld(t, sim.Config{Blocks: 40})
			p, _ := w.tampered()
			p.tell(&lie{method, change})
			pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{w.url, p.url}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(pool.Close)
			loop := w.loop("a")
			loop.Node = pool.Source().WithQuorum(2)
			err = w.leader(loop).turn(t.Context())
			if m, ok := errors.AsType[*integrity.MismatchError](err); !ok || !strings.HasSuffix(p.url, "/"+m.Upstream) {
				t.Errorf("got %v, want a mismatch of %s", err, p.url)
			}
		})
	}
}

func TestLevelsDifferInWhatTheyRefuseButNotInTheFacts(t *testing.T) {
	t.Parallel()
	w := newVerifiedWorld(t, sim.Config{Blocks: 20})
	digests := make(map[string]bool)
	for _, level := range facts.Verifications {
		other := w.beside()
		loop := other.loop("a")
		loop.Verify = level
		other.catchUp(other.leader(loop))
		digests[digest(t, other.db)] = true
		status, last := other.status(), w.sim.Head().Header.BlockNumber
		if got := status.Coverage.Verification; got != level {
			t.Errorf("--verify %s: got level %s in the status, want it", level, got)
		}
		through := status.Coverage.VerifiedThrough
		if verified := through != nil && *through == last; verified != (level == facts.FullyVerified) {
			t.Errorf("--verify %s: got verified through %v, want block %d only at the full level", level, through, last)
		}
	}
	if len(digests) != 1 {
		t.Errorf("got %d digests, want the same at every level", len(digests))
	}
}

func TestVerifiedRangeEndsAtTheFirstLesserBlockAndMovesBackWithAnUndo(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	w := newVerifiedWorld(t, sim.Config{Blocks: 6})
	loop := w.loop("a")
	leader := w.leader(loop)
	w.catchUp(leader)
	verified := func() uint64 {
		through := w.status().Coverage.VerifiedThrough
		if through == nil {
			t.Fatal("got no verified block, want some")
		}
		return *through
	}
	full := w.sim.Head().Header.BlockNumber
	if got := verified(); got != full {
		t.Errorf("got verified through %d, want %d", got, full)
	}
	for _, level := range []facts.Verification{facts.TransactionsVerified, facts.FullyVerified} {
		loop.Verify = level
		if err := w.sim.Mine(2); err != nil {
			t.Fatal(err)
		}
		w.catchUp(leader)
		if got, status := verified(), w.status(); got != full || status.Coverage.Verification != facts.TransactionsVerified {
			t.Errorf("after blocks of %s: got verified through %d and level %s, want %d and %s", level, got, status.Coverage.Verification, full, facts.TransactionsVerified)
		}
	}
	if err := w.sim.Reorg(5); err != nil { // also replaces the lesser blocks
		t.Fatal(err)
	}
	w.catchUp(leader)
	if got, want := verified(), w.sim.Head().Header.BlockNumber; got != want {
		t.Errorf("after the reorg: got verified through %d, want %d", got, want)
	}
}

func TestBlockWaitsForTheQuorum(t *testing.T) {
	t.Parallel()
	w := newVerifiedWorld(t, sim.Config{Blocks: 4})
	p, _ := w.tampered()
	down := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(down.Close)
	open := func(urls ...string) *node.Pool {
		pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: urls})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		return pool
	}
	loop := w.loop("a")
	leader := w.leader(loop)

	loop.Node = open(w.url, down.URL).Source().WithQuorum(2)
	if err := leader.turn(t.Context()); !errors.Is(err, indexing.ErrNoQuorum) {
		t.Errorf("with a node that is down: got %v, want %v", err, indexing.ErrNoQuorum)
	}
	if got := w.status().ReasonCode; got != chain.ReasonNodeQuorum {
		t.Errorf("got reason %q, want %q", got, chain.ReasonNodeQuorum)
	}
	p.tell(&lie{"starknet_getBlockWithTxHashes", at("0x77", "block_hash")})
	loop.Node = open(w.url, p.url).Source().WithQuorum(2)
	if err := leader.turn(t.Context()); !errors.Is(err, indexing.ErrNoQuorum) || !strings.Contains(err.Error(), "0x77") {
		t.Errorf("with a node of another chain: got %v, want %v with its hash", err, indexing.ErrNoQuorum)
	}
	p.tell(nil)
	w.catchUp(leader)
}

// TestAMinorityUndoesNothingThatTheQuorumConfirms lets one node of three go over to
// a fork of its own, which is as long as the chain of the others or longer.
func TestAMinorityUndoesNothingThatTheQuorumConfirms(t *testing.T) {
	t.Parallel()
	w := newVerifiedWorld(t, sim.Config{Blocks: 12})
	urls, nodes := []string{}, []*sim.Node{w.sim}
	for range 2 {
		other := w.another(sim.Config{Blocks: 12})
		server := httptest.NewServer(other.Handler())
		t.Cleanup(server.Close)
		urls, nodes = append(urls, server.URL), append(nodes, other)
	}
	liar := nodes[1]
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: append(urls, w.url)}) // the liar comes first
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	var log bytes.Buffer
	loop := w.loop("a")
	loop.Node, loop.Logger = pool.Source().WithQuorum(2), slog.New(slog.NewTextHandler(&log, nil))
	leader := w.leader(loop)
	w.catchUp(leader)
	mine := func(blocks int, nodes ...*sim.Node) {
		t.Helper()
		for _, n := range nodes {
			if err := n.Mine(blocks); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(when string) {
		t.Helper()
		w.catchUp(leader)
		head := w.sim.Head().Header
		if got := w.status().Block; got == nil || got.Hash != head.BlockHash {
			t.Errorf("%s: got the head %v, want %d %s", when, got, head.BlockNumber, head.BlockHash)
		}
	}
	if err := liar.Reorg(3); err != nil {
		t.Fatal(err)
	}
	check("after a fork of the same height")
	mine(2, liar)
	check("after a longer fork")
	mine(1, nodes[0], nodes[2])
	check("after a block of the others")
	if strings.Contains(log.String(), "reorg: removed") || strings.Contains(log.String(), "halted") {
		t.Errorf("got the log\n%s\nwant no block removed and no halt", log.String())
	}
	for _, n := range []*sim.Node{nodes[0], nodes[2]} {
		if err := n.Reorg(2); err != nil {
			t.Fatal(err)
		}
	}
	check("after a reorg of the others")
	if !strings.Contains(log.String(), "reorg: removed") {
		t.Errorf("got the log\n%s\nwant removed blocks", log.String())
	}
}
