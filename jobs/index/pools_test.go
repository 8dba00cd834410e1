package index

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/privacy"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/classes"
	"astrolabe/starknet"
)

func TestIndexForOtherPrivacyPoolsHaltsAndNamesTheCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sim.Config{Blocks: 12})
	w.catchUp(w.leader(w.loop("a")))
	w.execute("DELETE FROM index_leases")
	loop := w.loop("b")
	loop.Pools = []starknet.Felt{starknet.FeltFromUint64(0x22), starknet.FeltFromUint64(0x11)}
	leader := w.leader(loop)
	want := "run: astrolabe rederive privacy_events --chain SN_MAIN --privacy-pool SN_MAIN=0x11 --privacy-pool SN_MAIN=0x22"
	if err := leader.turn(t.Context()); !errors.Is(err, indexing.ErrRederive) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %v that ends with %q", err, indexing.ErrRederive, want)
	}
	if got := w.status(); got.State != chain.Halted || got.ReasonCode != chain.ReasonRederive {
		t.Errorf("got the status %s for %q, want %s for %s", got.State, got.ReasonCode, chain.Halted, chain.ReasonRederive)
	}
	loop.Pools = privacy.KnownPools(domain.Mainnet)
	w.catchUp(leader)
}

// withholding is a node that does not have a class for a while.
type withholding struct {
	Node
	class starknet.Felt
	now   *atomic.Bool
}

// Class implements Node.
func (n withholding) Class(ctx context.Context, at, hash starknet.Felt) (starknet.Class, error) {
	if n.now.Load() && hash == n.class {
		return starknet.Class{}, chain.ErrNoClass
	}
	return n.Node.Class(ctx, at, hash)
}

// TestEventsOfAPoolAreUnreadUntilItsClassIsKnown withholds the class with which
// the pool is deployed: no transfer depends on it.
func TestEventsOfAPoolAreUnreadUntilItsClassIsKnown(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	w := newWorld(t, sim.Config{Blocks: 30})
	class, err := classes.ByName("privacy_pool_v1")
	if err != nil {
		t.Fatal(err)
	}
	loop := w.loop("a")
	node := withholding{loop.Node, class.Hash, new(atomic.Bool)}
	node.now.Store(true)
	loop.Node, loop.AcceptMissingClasses, loop.Prover = node, true, ProverOf(w.db, node)
	leader := w.leader(loop)
	w.catchUp(leader)
	if unread, all := w.number("SELECT count(*) FROM privacy_events WHERE reading = 2 AND amount IS NULL"), w.number("SELECT count(*) FROM privacy_events"); unread == 0 || unread != all {
		t.Errorf("without the class: got %d unread events of %d, want all", unread, all)
	}
	node.now.Store(false)
	leader.proving = schedule{}
	w.catchUp(leader)
	if unread := w.number("SELECT count(*) FROM privacy_events WHERE reading <> 0"); unread != 0 {
		t.Errorf("with the class: got %d events that are not read, want none", unread)
	}
	if got, want := digest(t, w.db), w.clean(nil); got != want {
		t.Errorf("got digest %s, want %s of a clean index", got, want)
	}
}
