package index

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// Progress is the progress of a backfill.
type Progress struct {
	Chain           domain.Chain
	Block           uint64 // the newest stored block
	Head            uint64 // the node's newest block
	BlocksPerSecond float64
	EventsPerSecond float64
	Left            time.Duration // estimated time until the end of the backfill, indexes included; 0 while unknown
	Share           float64       // of the whole backfill, indexes included, from 0 to 1
	Done            bool          // the backfill is complete
}

// progress measures one part of a backfill.
type progress struct {
	loop              *Loop
	backfill          func() *chain.Backfill // nil near the head, where progress is not reported
	started, reported time.Time
	first, head       uint64
	blocks, events    int
}

// Intervals of progress reports, to Report and to the log.
const (
	reportEvery = time.Second
	logEvery    = 10 * time.Second
)

func newProgress(l *Loop, backfill func() *chain.Backfill, first, head uint64) *progress {
	now := time.Now()
	return &progress{loop: l, backfill: backfill, started: now, reported: now, first: first, head: head}
}

// add counts committed blocks and events, and reports progress periodically.
func (p *progress) add(blocks, events int) {
	p.blocks, p.events = p.blocks+blocks, p.events+events
	p.loop.Metrics.IndexedEvents(string(p.loop.Chain), events)
	every := logEvery
	if p.loop.Report != nil {
		every = reportEvery
	}
	if p.backfill == nil || time.Since(p.reported) < every {
		return
	}
	p.reported = time.Now()
	now := p.now()
	if p.loop.Report != nil {
		p.loop.Report(now)
		return
	}
	attrs := []any{
		"chain", now.Chain, "percent", int(100 * now.Share), "block", now.Block, "head", now.Head,
		"blocksPerSecond", int(now.BlocksPerSecond), "eventsPerSecond", int(now.EventsPerSecond),
	}
	if now.Left > 0 {
		attrs = append(attrs, "left", now.Left)
	}
	p.loop.Logger.Info("backfill in progress", attrs...)
}

// end reports that the backfill is complete.
func (p *progress) end() {
	if p.backfill != nil && p.loop.Report != nil {
		p.loop.Report(Progress{Chain: p.loop.Chain, Block: p.head, Head: p.head, Done: true})
	}
}

func (p *progress) now() Progress {
	took := time.Since(p.started).Seconds()
	now := Progress{
		Chain: p.loop.Chain, Block: p.first + uint64(p.blocks) - 1, Head: p.head,
		BlocksPerSecond: float64(p.blocks) / took, EventsPerSecond: float64(p.events) / took, Share: 1,
	}
	if backfill := p.backfill(); backfill != nil { // else it has ended meanwhile
		now.Share = backfill.Share()
		if backfill.Left != nil {
			now.Left = *backfill.Left
		}
	}
	return now
}
