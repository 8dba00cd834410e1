package index

import (
	"time"

	"astrolabe/domain"
)

// Progress is the progress of a backfill.
type Progress struct {
	Chain           domain.Chain
	Block           uint64 // the newest stored block
	Head            uint64 // the node's newest block
	BlocksPerSecond float64
	EventsPerSecond float64
	Left            time.Duration // estimated time until the head is reached
	Share           float64       // of the whole backfill, indexes included, from 0 to 1
	Done            bool          // the backfill is complete
}

// progress measures one part of a backfill.
type progress struct {
	loop              *Loop
	silent            bool // near the head, progress is not reported
	started, reported time.Time
	first, head       uint64
	blocks, events    int
	share             func() float64 // of the whole backfill
}

// Intervals of progress reports, to Report and to the log.
const (
	reportEvery = time.Second
	logEvery    = 10 * time.Second
)

func newProgress(l *Loop, silent bool, first, head uint64) *progress {
	now := time.Now()
	return &progress{loop: l, silent: silent, started: now, reported: now, first: first, head: head}
}

// add counts committed blocks and events, and reports progress periodically.
func (p *progress) add(blocks, events int) {
	p.blocks, p.events = p.blocks+blocks, p.events+events
	p.loop.Metrics.IndexedEvents(string(p.loop.Chain), events)
	every := logEvery
	if p.loop.Report != nil {
		every = reportEvery
	}
	if p.silent || time.Since(p.reported) < every {
		return
	}
	p.reported = time.Now()
	now := p.now()
	if p.loop.Report != nil {
		p.loop.Report(now)
		return
	}
	p.loop.Logger.Info("backfill in progress", "chain", now.Chain, "percent", int(100*now.Share), "block", now.Block, "head", now.Head,
		"blocksPerSecond", int(now.BlocksPerSecond), "eventsPerSecond", int(now.EventsPerSecond), "left", now.Left)
}

// end reports that the backfill is complete.
func (p *progress) end() {
	if !p.silent && p.loop.Report != nil {
		p.loop.Report(Progress{Chain: p.loop.Chain, Block: p.head, Head: p.head, Done: true})
	}
}

func (p *progress) now() Progress {
	took := time.Since(p.started).Seconds()
	speed := float64(p.blocks) / took
	block := p.first + uint64(p.blocks) - 1
	left := time.Duration(0)
	if speed > 0 && p.head > block {
		left = time.Duration(float64(p.head-block) / speed * float64(time.Second)).Round(time.Second)
	}
	now := Progress{
		Chain: p.loop.Chain, Block: block, Head: p.head,
		BlocksPerSecond: speed, EventsPerSecond: float64(p.events) / took, Left: left,
	}
	if p.share != nil && !p.silent {
		now.Share = p.share()
	}
	return now
}
