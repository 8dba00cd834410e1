package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"astrolabe/domain/indexing"
	"astrolabe/sim"
	"astrolabe/sim/fault"
)

// scenario is a configuration of sizes and a series of steps.
type scenario struct {
	Sizes Sizes
	First uint64
	Steps []step
}

// step is one step. Exactly one field is set.
type step struct {
	Mine  int          // the chain grows
	Reorg int          // the chain changes
	Fault *fault.Fault // the node misbehaves
	Turn  bool         // the indexer runs
	Race  *race        // the indexer runs while the chain changes
	Crash *int         // the indexer runs and crashes at its n-th use of the database
}

type race struct{ Mine, Reorg int }

var depths = rapid.IntRange(1, 4) // below the finality depth, which is 5

var faults = rapid.Custom(func(t *rapid.T) *fault.Fault {
	f := &fault.Fault{
		Kind: rapid.SampledFrom([]fault.Kind{
			fault.RPCError, fault.Status, fault.Cut, fault.Truncate, fault.StaleHead, fault.WrongParent, fault.MissingReceipts,
		}).Draw(t, "kind"),
		Times: rapid.IntRange(1, 5).Draw(t, "times"),
		Every: rapid.IntRange(1, 4).Draw(t, "every"),
		Depth: rapid.Uint64Range(1, 4).Draw(t, "depth"),
	}
	if f.Kind == fault.RPCError {
		f.Code = rapid.SampledFrom([]int{-32603, 24, 28}).Draw(t, "code")
	}
	return f
})

var steps = rapid.Custom(func(t *rapid.T) step {
	switch rapid.IntRange(0, 7).Draw(t, "step") {
	case 0, 1:
		return step{Mine: rapid.IntRange(1, 12).Draw(t, "mine")}
	case 2:
		return step{Reorg: depths.Draw(t, "reorg")}
	case 3:
		return step{Fault: faults.Draw(t, "fault")}
	case 4:
		return step{Race: &race{rapid.IntRange(0, 4).Draw(t, "mine"), depths.Draw(t, "reorg")}}
	case 5:
		return step{Crash: new(rapid.IntRange(1, 25).Draw(t, "crash"))}
	default:
		return step{Turn: true}
	}
})

var scenarios = rapid.Custom(func(t *rapid.T) scenario {
	return scenario{
		Sizes: Sizes{
			Fetchers:    rapid.IntRange(1, 6).Draw(t, "fetchers"),
			BatchEvents: rapid.IntRange(1, 600).Draw(t, "batch"),
			RangeEvents: rapid.Uint64Range(100, 3000).Draw(t, "range"),
			Bulk:        rapid.Uint64Range(1, 30).Draw(t, "bulk"),
		},
		First: rapid.SampledFrom([]uint64{0, 0, 0, 7}).Draw(t, "first"),
		Steps: rapid.SliceOfN(steps, 8, 24).Draw(t, "steps"),
	}
})

// TestIndexAfterRandomFaultsEqualsACleanIndex checks the promise of this
// package: any interleaving of growth, reorgs, node faults, crashes and
// restarts ends in the same facts as indexing the final chain at once.
// ASTROLABE_CHAOS sets how many scenarios run.
func TestIndexAfterRandomFaultsEqualsACleanIndex(t *testing.T) {
	t.Parallel()
	count, err := strconv.Atoi(os.Getenv("ASTROLABE_CHAOS"))
	if err != nil {
		count = 4
	}
	for seed := range count {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := scenarios.Example(seed)
			w := newWorld(t, sim.Config{Blocks: 30, Seed: uint64(seed)})
			p := &process{world: w, scenario: s}
			p.restart()
			for i, step := range s.Steps {
				p.live(step)
				if t.Failed() {
					t.Fatalf("step %d of %+v: got the failures above, want none", i, s)
				}
			}
			p.settle()
			if got, want := digest(t, w.db), w.clean(p.configure); got != want {
				t.Errorf("got the digest %s, want %s of a clean index, after %+v", got, want, s)
			}
		})
	}
}

// process is an indexer that crashes and restarts.
type process struct {
	*world
	scenario scenario
	lives    int
	leader   *turns
}

func (p *process) configure(l *Loop) {
	l.Sizes, l.First = p.scenario.Sizes.orDefault(), p.scenario.First
	l.Node = p.node.Source() // a plain source, whose class reads can fail, too
}

// restart replaces the process by a new one. The lease of the old one has
// expired, as if time had passed.
func (p *process) restart() {
	p.Helper()
	if p.leader != nil {
		if err := p.leases().ReleaseLease(p.Context(), p.leader.lease); err != nil {
			p.Fatal(err)
		}
	}
	p.lives++
	loop := p.loop(fmt.Sprint("life ", p.lives))
	p.configure(loop)
	p.leader = p.world.leader(loop)
}

// live runs one step. The indexer may fail as long as it reports the error.
func (p *process) live(s step) {
	p.Helper()
	var err error
	switch {
	case s.Mine > 0:
		err = p.sim.Mine(s.Mine)
	case s.Reorg > 0:
		err = p.sim.Reorg(s.Reorg)
	case s.Fault != nil:
		err = p.sim.Fault(*s.Fault)
	case s.Race != nil:
		ended := make(chan error, 1)
		go func() { ended <- p.leader.turn(p.Context()) }()
		err = errors.Join(p.sim.Mine(s.Race.Mine), p.sim.Reorg(s.Race.Reorg))
		<-ended
	case s.Crash != nil:
		p.crash(*s.Crash)
	case s.Turn:
		_ = p.leader.turn(p.Context())
	}
	if err != nil {
		p.Fatal(err)
	}
}

// dying is a writer whose process crashes at its n-th use: later calls do not
// reach the database, and running ones are cancelled.
type dying struct {
	Writer
	left *atomic.Int64
	die  func()
}

func (d dying) use() {
	if d.left.Add(-1) == 0 {
		d.die()
	}
}

func (d dying) Commit(ctx context.Context, lease indexing.Lease, batch indexing.Batch) error {
	d.use()
	return d.Writer.Commit(ctx, lease, batch)
}

func (d dying) OpenRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error {
	d.use()
	return d.Writer.OpenRange(ctx, lease, r)
}

func (d dying) SealRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error {
	d.use()
	defer d.use()
	return d.Writer.SealRange(ctx, lease, r)
}

func (d dying) BuildRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error {
	time.AfterFunc(time.Duration(d.left.Load())*time.Millisecond, d.use)
	return d.Writer.BuildRange(ctx, lease, r)
}

func (p *process) crash(after int) {
	p.Helper()
	ctx, die := context.WithCancel(p.Context())
	defer die()
	left := new(atomic.Int64)
	left.Store(int64(after))
	p.leader.Writer = dying{p.leader.Writer, left, die}
	_ = p.leader.turn(ctx)
	p.restart()
}

// settle ends all faults and lets the index catch up.
func (p *process) settle() {
	p.Helper()
	p.sim.ClearFaults()
	p.node.Close()
	p.node = p.pool()
	p.restart()
	head := p.sim.Head().Header
	for range 20 {
		if err := p.leader.turn(p.Context()); err != nil {
			p.Log(err)
		}
		if at := p.leader.at.Block; at != nil && at.Hash == head.BlockHash {
			return
		}
	}
	p.Fatalf("got the checkpoint %+v, want the head %d %s", p.leader.at.Block, head.BlockNumber, head.BlockHash)
}
