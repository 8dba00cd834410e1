package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	store "astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

// ProverOf returns the prover of an index. Its package imports this one, so that
// repair_test.go sets it.
var ProverOf func(*repo.DB, Node) Prover

// missing returns how many classes the index has to do without.
func (w *world) missing() int {
	w.Helper()
	return w.number("SELECT count(*) FROM classes WHERE missing")
}

// TestUnprovenClassIsUnusedUntilItIsProven tells a lie about every Cairo 0 class.
// The index must not use one, and must equal a clean one after the truth returns:
// of the whole chain, and of a partial history, in which the slots of proxies are
// asked of the node.
func TestUnprovenClassIsUnusedUntilItIsProven(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	for name, first := range map[string]uint64{"whole": 0, "partial": 68} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newVerifiedWorld(t, sim.Config{Blocks: lieBlocks})
			if err := w.sim.Fault(fault.Fault{Kind: fault.Lie, Lie: "class.cairo0.abi.name"}); err != nil {
				t.Fatal(err)
			}
			loop := w.loop("a")
			loop.First, loop.Node = first, w.node.Source()
			loop.Prover = ProverOf(w.db, loop.Node)
			leader := w.leader(loop)
			w.catchUp(leader)
			if w.missing() == 0 {
				t.Error("got no missing classes, want those that the node lied about")
			}
			if used := w.number("SELECT count(*) FROM classes WHERE missing AND (abi IS NOT NULL OR standard <> 0 OR account)"); used != 0 {
				t.Errorf("got %d missing classes with an ABI, a standard or an account, want none", used)
			}
			if w.number("SELECT count(*) FROM untyped_transfers") == 0 {
				t.Error("got no untyped transfers, want those of contracts of missing classes")
			}
			if level := w.status().Coverage.Verification; level != facts.FullyVerified {
				t.Errorf("got level %s, want %s: the blocks themselves are verified", level, facts.FullyVerified)
			}
			w.sim.ClearFaults()
			if w.catchUp(leader); w.missing() == 0 {
				t.Error("the classes were asked for again at once, want a pause first")
			}
			leader.proving = schedule{}
			if w.catchUp(leader); w.missing() != 0 {
				t.Errorf("got %d missing classes after the truth returned, want none", w.missing())
			}
			if got, want := digest(t, w.db), w.clean(func(l *Loop) { l.First = first }); got != want {
				t.Errorf("got digest %s, want %s of a clean index", got, want)
			}
		})
	}
}

// TestRepairTakesNoClassThatIsNeitherProvenNorCommitted damages a Cairo 0 class
// while the node has only a false one.
func TestRepairTakesNoClassThatIsNeitherProvenNorCommitted(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	w := newVerifiedWorld(t, sim.Config{Blocks: 70})
	leader := w.leader(w.loop("a"))
	w.catchUp(leader)
	if err := w.leases().ReleaseLease(t.Context(), leader.lease); err != nil {
		t.Fatal(err)
	}
	before := digest(t, w.db)
	classes, err := store.NewArchive(w.db).StoredClasses(t.Context(), domain.Mainnet, nil, 100)
	at := slices.IndexFunc(classes, func(k indexing.StoredClass) bool { return !k.Sierra && k.Standard != "" })
	if err != nil || at < 0 {
		t.Fatalf("got no Cairo 0 class of a token, %v, want one", err)
	}
	hash := classes[at].Hash
	job := ProverOf(w.db, w.node.Source()).(interface {
		Class(ctx context.Context, hash starknet.Felt) error
	})
	damage := func() string {
		w.execute(fmt.Sprintf(`UPDATE classes SET abi = '[]', standard = 0 WHERE hash = '\x%x'`, hash[:]))
		return digest(t, w.db)
	}
	lie := func(about string) {
		w.sim.ClearFaults()
		w.lie(fault.Fault{Kind: fault.Lie, Lie: about})
	}
	damaged := damage()
	lie("class.cairo0.abi.name")
	if err := job.Class(t.Context(), hash); !errors.Is(err, chain.ErrUnprovenClass) || digest(t, w.db) != damaged {
		t.Errorf("a false class: got %v, want %v and no change", err, chain.ErrUnprovenClass)
	}
	lie("class.cairo0.program") // which the index does not store
	if err := job.Class(t.Context(), hash); err != nil || digest(t, w.db) != before {
		t.Errorf("the committed class with another program: got %v, want it restored", err)
	}
	w.sim.ClearFaults()
	damage()
	if err := job.Class(t.Context(), hash); err != nil || digest(t, w.db) != before {
		t.Errorf("the true class: got %v, want it restored", err)
	}
}

func TestMissingClassesAreAskedForAgainAfterGrowingPauses(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	var s schedule
	for _, step := range []struct {
		fruitful bool
		pause    time.Duration
	}{{false, time.Minute}, {false, 2 * time.Minute}, {false, 4 * time.Minute}, {true, time.Minute}, {false, 2 * time.Minute}} {
		if !s.due(now) {
			t.Fatalf("at %s: got not due, want due", now)
		}
		if s.asked(now, step.fruitful); s.due(now.Add(step.pause - 1)) {
			t.Errorf("at %s: got due before %s, want after it", now, step.pause)
		}
		now = now.Add(step.pause)
	}
	for range 20 {
		s.asked(now, false)
	}
	if !s.due(now.Add(longestProof)) {
		t.Errorf("after many questions: got not due after %s, want due", longestProof)
	}
	if s.reset(); s.due(now) || !s.due(now.Add(firstProof)) {
		t.Errorf("after a new class is missing: got another pause, want %s", firstProof)
	}
}

// TestDeclaredSierraClassAnsweredAsCairo0Halts tells a lie about the language of
// classes: only Cairo 0 classes may be unproven.
func TestDeclaredSierraClassAnsweredAsCairo0Halts(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	w := newVerifiedWorld(t, sim.Config{Blocks: 4})
	p, pool := w.tampered()
	p.tell(&lie{ofClass, func(result map[string]any) bool {
		if result["sierra_program"] == nil {
			return false
		}
		clear(result)
		result["program"], result["abi"] = "H4sIAAAAAAAA/6uuBQBDv6ajAgAAAA==", []any{} // {}
		result["entry_points_by_type"] = map[string]any{"EXTERNAL": []any{}, "CONSTRUCTOR": []any{}, "L1_HANDLER": []any{}}
		return true
	}})
	loop := w.loop("a")
	loop.Node = pool.Source()
	leader := w.leader(loop)
	if err := leader.turn(t.Context()); !errors.Is(err, indexing.ErrInconsistent) {
		t.Errorf("got %v, want %v", err, indexing.ErrInconsistent)
	}
	if stored := w.number("SELECT count(*) FROM blocks"); stored != 0 {
		t.Errorf("got %d blocks stored, want none", stored)
	}
	p.tell(nil)
	w.catchUp(leader)
	if got, want := digest(t, w.db), w.clean(nil); got != want {
		t.Errorf("got digest %s, want %s of a clean index", got, want)
	}
}
