package index

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/integrity"
	store "astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/fault"
)

var update = flag.Bool("update", false, "rewrite testdata/lies.txt")

// lieBlocks is the length of the simulated chain. It includes the blocks that
// upgrade and replace proxies.
const lieBlocks = 82

// backfilled is the number of blocks above the one that a lie is about, in a
// backfill: enough for it to be loaded in bulk.
const backfilled = 16

// TestContentLiesAreRefused tells every lie of the simulator about the first block
// that has a place for it, at the head and, with ASTROLABE_SOAK, in a backfill. testdata/lies.txt lists
// the lies that are stored at each level, because nothing commits to what they
// change, and those that make the index do without a class until the truth
// returns. All others are refused. At the end the index equals one of an honest
// node.
func TestContentLiesAreRefused(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	found := map[facts.Verification]map[string]string{}
	for _, level := range []facts.Verification{facts.FullyVerified, facts.TransactionsVerified} {
		found[level] = newLiar(t, level, 0).tellAll()
		if os.Getenv("ASTROLABE_SOAK") == "" {
			continue
		}
		if diff := cmp.Diff(found[level], newLiar(t, level, lieBlocks+backfilled).tellAll()); diff != "" {
			t.Errorf("level %s: outcomes (-want as at the head +got in a backfill):\n%s", level, diff)
		}
	}
	var lines []string
	for level, outcomes := range found {
		for lie, outcome := range outcomes {
			if outcome != refused {
				lines = append(lines, fmt.Sprintf("%s %s %s\n", level, outcome, lie))
			}
		}
		if len(outcomes) != len(fault.Lies) {
			t.Errorf("level %s: got %d lies told, want %d", level, len(outcomes), len(fault.Lies))
		}
	}
	slices.Sort(lines)
	got := strings.Join(lines, "")
	if *update {
		if err := os.WriteFile("testdata/lies.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/lies.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("lies that are not refused (-want +got):\n%s", diff)
	}
}

// refusals are the errors with which a lie is refused.
var refusals = []error{indexing.ErrInconsistent, facts.ErrContradiction, chain.ErrInvalidAnswer, chain.ErrNoClass}

// The outcomes of a lie.
const (
	refused = "refused"
	lowered = "lowered" // stored, but the block is not called verified at the level
	unused  = "unused"  // the block is stored, but the class is not
	stored  = "stored"
)

// liar is a node that lies to an indexer.
type liar struct {
	*world
	level  facts.Verification
	leader *turns
	told   map[string]string // outcome by lie
}

func newLiar(t *testing.T, level facts.Verification, blocks int) *liar {
	t.Helper()
	w := newVerifiedWorld(t, sim.Config{Blocks: blocks})
	loop := w.loop("a")
	loop.Verify, loop.Node, loop.Lease = level, w.node.Source(), time.Hour // nothing renews it
	loop.Prover = ProverOf(w.db, loop.Node)
	return &liar{world: w, level: level, leader: w.leader(loop), told: map[string]string{}}
}

// tellAll tells every lie and returns the outcomes.
func (l *liar) tellAll() map[string]string {
	l.Helper()
	for number := range uint64(lieBlocks + 1) {
		if l.sim.Head().Header.BlockNumber < number {
			l.catchUp(l.leader)
			if err := l.sim.Mine(1); err != nil {
				l.Fatal(err)
			}
		}
		for _, lie := range l.lies(number) {
			if _, told := l.told[lie]; !told {
				l.tell(lie, number)
			}
		}
	}
	l.sim.ClearFaults()
	l.catchUp(l.leader)
	if got, want := digest(l.T, l.db), l.clean(nil); got != want {
		l.Errorf("level %s: got the digest %s, want %s of a clean index", l.level, got, want)
	}
	return l.told
}

// lies lists the lies that the answers about a block have a place for.
func (l *liar) lies(number uint64) []string {
	l.Helper()
	id := map[string]any{"block_number": number}
	names := map[string]bool{}
	note := func(method string, params ...any) {
		for _, name := range fault.LiesAbout(method, l.call(method, params...)) {
			names[name] = true
		}
	}
	note(ofBlock, id, []string{"INCLUDE_PROOF_FACTS"})
	note(ofUpdate, id)
	block, err := l.sim.Block(number)
	if err != nil {
		l.Fatal(err)
	}
	diff := &block.StateUpdate.StateDiff
	for i := range diff.DeployedContracts {
		note(ofClass, id, diff.DeployedContracts[i].ClassHash)
	}
	for i := range diff.DeclaredClasses {
		note(ofClass, id, diff.DeclaredClasses[i].ClassHash)
	}
	for i := range diff.DeprecatedDeclaredClasses {
		note(ofClass, id, diff.DeprecatedDeclaredClasses[i])
	}
	return slices.Sorted(maps.Keys(names))
}

// call calls a method of the node and returns its result.
func (l *liar) call(method string, params ...any) any {
	l.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		l.Fatal(err)
	}
	response, err := http.Post(l.url, "application/json", bytes.NewReader(body)) //nolint:noctx // a test
	if err != nil {
		l.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // it is read
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	var answer struct{ Result any }
	if err := decoder.Decode(&answer); err != nil {
		l.Fatal(err)
	}
	return answer.Result
}

// tell tells a lie about a block and records what the index makes of it. A lie
// that was stored is rolled back. A class is read only where it is new to the
// index, so a lie about one may have to wait for another block.
func (l *liar) tell(lie string, number uint64) {
	l.Helper()
	before := l.sim.Struck(fault.Lie)
	if err := l.sim.Fault(fault.Fault{Kind: fault.Lie, Lie: lie, Block: &number}); err != nil {
		l.Fatal(err)
	}
	if above := l.sim.Head().Header.BlockNumber - number; above > backfilled {
		if err := l.sim.Fault(fault.Fault{Kind: fault.StaleHead, Depth: above - backfilled}); err != nil {
			l.Fatal(err)
		}
	}
	err := l.leader.turn(l.Context())
	at, reached := l.reached(number)
	if err == nil && !reached { // what looks like a reorg in progress gets a second turn
		err = l.leader.turn(l.Context())
		at, reached = l.reached(number)
	}
	struck := l.sim.Struck(fault.Lie) > before
	l.sim.ClearFaults()
	switch {
	case err == nil && !reached:
		l.Errorf("%s about block %d: got no error at %s, want the block or an error", lie, number, at)
	case err != nil && !slices.ContainsFunc(refusals, func(want error) bool { return errors.Is(err, want) }):
		l.Errorf("%s about block %d: got %v, want one of %v", lie, number, err, refusals)
	case !names(err, l.url):
		l.Errorf("%s about block %d: got %v, want the field, both values and the upstream", lie, number, err)
	case err != nil && reached:
		l.Errorf("%s about block %d: got %v with the index at %s, want the block refused", lie, number, err, at)
	}
	switch {
	case !struck:
	case err != nil:
		l.told[lie] = refused
	case l.number(fmt.Sprintf("SELECT verification FROM blocks WHERE chain = 1 AND block = %d", number)) < l.wanted():
		l.told[lie] = lowered
	case l.missing() > 0:
		l.told[lie] = unused
		l.leader.proving = schedule{}
		if err := l.leader.turn(l.Context()); err != nil || l.missing() > 0 {
			l.Errorf("%s about block %d: %d classes are missing after the truth returned, want none (%v)", lie, number, l.missing(), err)
		}
	default:
		l.told[lie] = stored
	}
	if reached {
		l.rollback(number)
	}
}

// names reports whether an error is no mismatch, or names a field, both values
// and an upstream.
func names(err error, url string) bool {
	m, ok := errors.AsType[*integrity.MismatchError](err)
	return !ok || m.Field != "" && m.Stated != m.Computed && strings.HasSuffix(url, "/"+m.Upstream)
}

// reached returns where the index is, and whether it has stored a block.
func (l *liar) reached(number uint64) (at string, held bool) {
	l.Helper()
	checkpoint, err := l.leader.Checkpoints.Checkpoint(l.Context(), l.leader.Chain)
	if err != nil {
		l.Fatal(err)
	}
	if checkpoint == nil || checkpoint.Block == nil {
		return "no block", false
	}
	return checkpoint.Block.String(), checkpoint.Block.Number >= number
}

// wanted is the stored form of the level.
func (l *liar) wanted() int {
	return map[facts.Verification]int{facts.TransactionsVerified: 1, facts.FullyVerified: 2}[l.level]
}

// rollback removes a block and everything after it.
func (l *liar) rollback(number uint64) {
	l.Helper()
	var to *domain.BlockRef
	if number > 0 {
		hash, held, err := l.leader.Checkpoints.BlockHash(l.Context(), l.leader.Chain, number-1)
		if err != nil || !held {
			l.Fatalf("block %d: got held %t and %v, want it held", number-1, held, err)
		}
		to = &domain.BlockRef{Number: number - 1, Hash: hash}
	}
	if err := store.NewWriter(l.db).Rollback(l.Context(), l.leader.lease, to); err != nil {
		l.Fatal(err)
	}
}
