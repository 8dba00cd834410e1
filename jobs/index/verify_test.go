package index

import (
	"encoding/json"
	"errors"
	"fmt"
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
	"astrolabe/sim"
)

const (
	ofBlock  = "starknet_getBlockWithReceipts"
	ofUpdate = "starknet_getStateUpdate"
	ofClass  = "starknet_getClass"
)

// liesOfFamilies has a lie of each family of answers.
var liesOfFamilies = map[string]lie{
	"header":      {ofBlock, at(json.Number("1900000000"), "timestamp")},
	"transaction": {ofBlock, at("0x77", "transactions", "transaction", "calldata")},
	"signature":   {ofBlock, at("0x77", "transactions", "transaction", "signature")},
	"receipt":     {ofBlock, at("0x77", "transactions", "receipt", "actual_fee", "amount")},
	"event":       {ofBlock, at("0x77", "transactions", "receipt", "events", "data")},
	"message":     {ofBlock, at("0x77", "transactions", "receipt", "messages_sent", "payload")},
	"state diff":  {ofUpdate, at("0x77", "state_diff", "storage_diffs", "storage_entries", "value")},
	"old root":    {ofUpdate, at("0x77", "old_root")},
	"class":       {ofClass, at("[]", "abi")},
}

// skipRaced leaves a test out of the race detector, with which hashing takes
// minutes. make test runs it without.
func skipRaced(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("it runs without the race detector")
	}
}

// untilLied mines until the lie was told, because not every block has
// what it changes.
func (w *world) untilLied(p *proxy, turn func() error) (err error) {
	w.Helper()
	for range 40 {
		if err := w.sim.Mine(1); err != nil {
			w.Fatal(err)
		}
		if err = turn(); p.lied.Load() > 0 {
			return err
		}
		if err != nil {
			w.Fatal(err)
		}
	}
	w.Fatal("got no block with what the lie changes, want one")
	return nil
}

func TestNoLieIsStoredAndTheTruthIsAcceptedAfterwards(t *testing.T) {
	t.Parallel()
	skipRaced(t)
	for name, told := range liesOfFamilies {
		for where, head := range map[string]bool{"at the head": true, "in backfill": false} {
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, sim.Config{Blocks: 12})
				p, pool := w.tampered()
				loop := w.loop("a")
				loop.Node = pool.Source()
				leader := w.leader(loop)
				if head && name != "class" { // later blocks may have no new class
					w.catchUp(leader)
				}
				p.tell(&told)
				err := w.untilLied(p, func() error { return leader.turn(t.Context()) })
				mismatch, ok := errors.AsType[*integrity.MismatchError](err)
				if name == "class" { // refused by the node's client, with the same reason
					mismatch, ok = &integrity.MismatchError{Field: "class", Stated: "0x1", Upstream: p.url}, errors.Is(err, indexing.ErrInconsistent)
				}
				if !ok || !strings.Contains(p.url, mismatch.Upstream) || mismatch.Upstream == "" || mismatch.Field == "" || mismatch.Stated == mismatch.Computed {
					t.Fatalf("got %v, want a mismatch with field, both values and %s", err, p.url)
				}
				if status := w.status(); status.State != chain.Halted || status.ReasonCode != chain.ReasonNodeInconsistent {
					t.Errorf("got status %s %q, want %s %q", status.State, status.ReasonCode, chain.Halted, chain.ReasonNodeInconsistent)
				}
				stored := w.number(fmt.Sprintf("SELECT count(*) FROM blocks WHERE block >= %d", mismatch.Block))
				if again := leader.turn(t.Context()); !errors.Is(again, indexing.ErrInconsistent) || stored != 0 {
					t.Errorf("the next turn: got %v with %d blocks stored, want %v and none", again, stored, indexing.ErrInconsistent)
				}
				p.tell(nil)
				if name == "class" { // the client pauses an upstream whose answer it refused
					_, pool = w.tampered()
					loop.Node = pool.Source()
				}
				w.catchUp(leader)
				if got, want := digest(t, w.db), w.clean(nil); got != want {
					t.Errorf("got digest %s, want %s of a clean index", got, want)
				}
			})
		}
	}
}

func TestLevelsDifferInWhatTheyRefuseButNotInTheFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 20})
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
	skipRaced(t)
	w := newWorld(t, sim.Config{Blocks: 6})
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
	w := newWorld(t, sim.Config{Blocks: 4})
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
	loop.Quorum = 2
	leader := w.leader(loop)

	loop.Node = open(w.url, down.URL).Source()
	if err := leader.turn(t.Context()); !errors.Is(err, indexing.ErrNoQuorum) {
		t.Errorf("with a node that is down: got %v, want %v", err, indexing.ErrNoQuorum)
	}
	if got := w.status().ReasonCode; got != chain.ReasonNodeQuorum {
		t.Errorf("got reason %q, want %q", got, chain.ReasonNodeQuorum)
	}
	p.tell(&lie{"starknet_getBlockWithTxHashes", at("0x77", "block_hash")})
	loop.Node = open(w.url, p.url).Source()
	if err := leader.turn(t.Context()); !errors.Is(err, indexing.ErrNoQuorum) || !strings.Contains(err.Error(), "0x77") {
		t.Errorf("with a node of another chain: got %v, want %v with its hash", err, indexing.ErrNoQuorum)
	}
	p.tell(nil)
	w.catchUp(leader)
}
