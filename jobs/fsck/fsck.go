package fsck

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/jobs/census"
)

// Inspector checks the consistency of the read model inside the database.
type Inspector interface {
	// Checks returns the checks in the order in which they should run.
	Checks(c domain.Chain, from, to uint64) []indexing.Check
	// Digested reports whether every stored block has a digest.
	Digested(ctx context.Context, c domain.Chain) (bool, error)
}

// Job checks the read model of one chain.
type Job struct {
	Chain       domain.Chain
	Checkpoints indexing.Checkpoints
	Archive     indexing.Archive
	Inspector   Inspector
	// Node provides the blocks to compare with; nil skips that comparison.
	Node Node
	// Readings are compared with the node too; nil skips them.
	Readings Readings
	// Untyped is used to judge census policies again; nil skips them.
	Untyped census.Untyped
	// From and To are the first and the last block to check.
	From, To uint64
	// Limit is the maximum number of findings.
	Limit int
	// Report receives the current step periodically.
	Report func(line string)
}

// Result is what was checked and found.
type Result struct {
	Blocks      int    // number of checked blocks
	First, Last uint64 // the first and the last checked block
	Findings    []indexing.Finding
	Notes       []string // observations that are not faults
}

// Run checks the read model for consistency and against the node. It returns at
// most Limit findings, in the order of blocks; findings without a block come
// first. Rows that are derived again come last, because nothing is derived from
// damaged rows.
func (j *Job) Run(ctx context.Context) (Result, error) {
	at, err := j.Checkpoints.Checkpoint(ctx, j.Chain)
	if err != nil {
		return Result{}, err
	}
	l := &inspection{Job: j, replay: indexing.NewReplay(j.Chain, j.Archive), reported: time.Now(), altered: make(map[uint64]bool)}
	if at != nil && at.Block != nil {
		l.first, l.newest = at.First, at.Block.Number
		l.result.First, l.result.Last = max(j.From, at.First), min(j.To, at.Block.Number)
	}
	if l.result.Last >= l.result.First && at != nil && at.Block != nil {
		l.result.Blocks = int(l.result.Last - l.result.First + 1)
	}
	if at != nil {
		l.l1 = at.L1
	}
	for _, step := range []func(context.Context) error{l.reach, l.layout, l.itself, l.versions, l.classes, l.base, l.following, l.acceptance, l.derived, l.policies, l.node, l.tokens} {
		if err := step(ctx); err != nil {
			return l.result, err
		}
		if l.full() || l.broken {
			break
		}
	}
	for i := range l.result.Findings {
		l.advise(&l.result.Findings[i])
	}
	slices.SortStableFunc(l.result.Findings, func(a, b indexing.Finding) int {
		return cmp.Or(cmp.Compare(stepOf(a), stepOf(b)), cmp.Compare(blockOf(a), blockOf(b)))
	})
	return l.result, nil
}

// stepOf orders repairs that depend on others after those.
func stepOf(f indexing.Finding) int {
	if strings.HasPrefix(f.Repair, "astrolabe rederive ") || strings.HasSuffix(f.Repair, " --versions") {
		return 1
	}
	return 0
}

func blockOf(f indexing.Finding) int64 {
	if f.Block == nil {
		return -1
	}
	return int64(*f.Block)
}

// inspection is one run of a job.
type inspection struct {
	*Job
	result    Result
	replay    *indexing.Replay
	broken    bool            // rows cannot be read as facts
	outdated  bool            // rows are of other versions of the derivers
	altered   map[uint64]bool // blocks whose base rows are not those that were committed
	misplaced bool            // the checkpoint is wrong
	left      bool            // a block is not on the chain of the node
	stretch   *stretch
	unchecked int    // blocks without a digest
	first     uint64 // block of the index
	newest    uint64 // block of the index
	head      uint64 // of the node
	l1        *domain.BlockRef
	reported  time.Time
}

// reportEvery is the interval of progress reports.
const reportEvery = 5 * time.Second

// report reports the current step, unless a report was sent recently.
func (l *inspection) report(format string, args ...any) {
	if time.Since(l.reported) >= reportEvery {
		l.reported = time.Now()
		l.Report(fmt.Sprintf(format, args...))
	}
}

func (l *inspection) full() bool { return len(l.result.Findings) >= l.Limit }

// note adds an observation that is no fault.
func (l *inspection) note(format string, args ...any) {
	l.result.Notes = append(l.result.Notes, fmt.Sprintf(format, args...))
}

// found adds findings up to the limit.
func (l *inspection) found(findings ...indexing.Finding) {
	room := l.Limit - len(l.result.Findings)
	l.result.Findings = append(l.result.Findings, findings[:min(room, len(findings))]...)
}
