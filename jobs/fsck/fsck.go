package fsck

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
)

// Inspector compares the read model with itself, inside the database.
type Inspector interface {
	// Checks returns the comparisons in the order in which they should run.
	Checks(c domain.Chain, from, to uint64) []indexing.Check
}

// Job looks for faults in the read model of one chain.
type Job struct {
	Chain       domain.Chain
	Checkpoints indexing.Checkpoints
	Archive     indexing.Archive
	Inspector   Inspector
	// Node is asked for every block again; nil means that nobody is.
	Node Node
	// From and To bound the blocks that are looked at, both included.
	From, To uint64
	// Limit bounds the findings.
	Limit int
	// Report is told now and then what is being done, when it takes long.
	Report func(line string)
}

// Result is what was looked at and found.
type Result struct {
	Blocks      int    // how many were looked at
	First, Last uint64 // the first and the last of them
	Findings    []indexing.Finding
	Notes       []string // what is no fault but worth knowing
}

// Run compares the read model with itself and with the node. It returns at
// most Limit findings, the first by block; those of no block come before.
func (j *Job) Run(ctx context.Context) (Result, error) {
	at, err := j.Checkpoints.Checkpoint(ctx, j.Chain)
	if err != nil {
		return Result{}, err
	}
	l := &look{Job: j, replay: indexing.NewReplay(j.Chain, j.Archive), told: time.Now()}
	if at != nil && at.Block != nil {
		l.result.First, l.result.Last = max(j.From, at.First), min(j.To, at.Block.Number)
	}
	if l.result.Last >= l.result.First && at != nil && at.Block != nil {
		l.result.Blocks = int(l.result.Last - l.result.First + 1)
	}
	for _, step := range []func(context.Context) error{l.itself, l.versions, l.classes, l.derived, l.node} {
		if err := step(ctx); err != nil {
			return l.result, err
		}
		if l.full() || l.broken {
			break
		}
	}
	slices.SortStableFunc(l.result.Findings, func(a, b indexing.Finding) int { return cmp.Compare(blockOf(a), blockOf(b)) })
	for i := range l.result.Findings {
		l.advise(&l.result.Findings[i], at)
	}
	return l.result, nil
}

func blockOf(f indexing.Finding) int64 {
	if f.Block == nil {
		return -1
	}
	return int64(*f.Block)
}

// look is one run of a job.
type look struct {
	*Job
	result Result
	replay *indexing.Replay
	broken bool // rows cannot be read as facts
	told   time.Time
}

// reportEvery is how often something is reported.
const reportEvery = 5 * time.Second

// tell reports what is being done, unless something was reported lately.
func (l *look) tell(format string, args ...any) {
	if time.Since(l.told) >= reportEvery {
		l.told = time.Now()
		l.Report(fmt.Sprintf(format, args...))
	}
}

func (l *look) full() bool { return len(l.result.Findings) >= l.Limit }

// found keeps findings up to the limit.
func (l *look) found(findings ...indexing.Finding) {
	room := l.Limit - len(l.result.Findings)
	l.result.Findings = append(l.result.Findings, findings[:min(room, len(findings))]...)
}
