package main

import (
	"fmt"
	"time"
)

// goal is how much the pages of a read may grow from the smallest to the largest
// size.
const goal = 1.5

func (r result) print() {
	fmt.Printf("%d events: folded in %.1f s, %.0f events/s\n", r.events, r.folded.Seconds(), float64(r.events)/r.folded.Seconds())
	for _, m := range r.reads {
		fmt.Printf("  %-24s %6d pages  p50 %7.2f ms  p99 %7.2f ms\n", m.name, m.buffers, milliseconds(m.p50), milliseconds(m.p99))
	}
	fmt.Println()
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// printGrowth compares the largest size with the smallest one.
func printGrowth(results []result) {
	first, last := results[0], results[len(results)-1]
	if len(results) < 2 {
		return
	}
	fmt.Printf("pages at %d events, as a multiple of those at %d (goal: at most %.1f)\n", last.events, first.events, goal)
	for i, m := range last.reads {
		growth, verdict := float64(m.buffers)/float64(max(first.reads[i].buffers, 1)), "met"
		if growth > goal {
			verdict = "missed"
		}
		fmt.Printf("  %-24s %5.2f  %s\n", m.name, growth, verdict)
	}
}
