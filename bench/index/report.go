package main

import (
	"fmt"
	"strings"
)

// print prints the measurements at one size.
func (r result) print() {
	perEvent := func(bytes int) float64 { return float64(bytes) / float64(r.events) }
	fmt.Printf("%d events\n", r.events)
	line("backfill, events/s", "%.0f  in %.1f s, of which the index process used %.1f s of processor time",
		rate(r.events, r.backfill.Took), r.backfill.Took.Seconds(), r.backfill.CPU.Seconds())
	line("\\copy, indexes in place, events/s", "%.0f", rate(r.events, r.copies.indexed))
	line("\\copy, no indexes, events/s", "%.0f", rate(r.events, r.copies.bare))
	line("backfill over \\copy, indexes", "%.2f  (goal: at least 1.00)", r.copies.indexed.Seconds()/r.backfill.Took.Seconds())
	line("backfill over \\copy, no indexes", "%.2f", r.copies.bare.Seconds()/r.backfill.Took.Seconds())
	line("peak memory of the index, MB", "%.0f  (goal: at most 400)", float64(r.backfill.Peak)/1e6)
	line("bytes per event: events", "%.0f  (goal: at most 320)", perEvent(r.storage["events"]))
	var tables []string
	for _, name := range r.storage.largest(r.events) {
		tables = append(tables, fmt.Sprintf("%s %.0f", name, perEvent(r.storage[name])))
	}
	line("bytes per event: everything", "%.0f  (%s)", perEvent(r.storage.total()), strings.Join(tables, ", "))
	for _, p := range r.pages {
		verdict := "in the order of an index, nothing sorted"
		if len(p.faults) > 0 {
			verdict = strings.Join(p.faults, ", ")
		}
		line("buffers, "+p.name+" by "+filters[p.filter].name, "%d  and %d to plan; %s", p.buffers, p.planning, verdict)
	}
	fmt.Println()
}

// print prints the shares of the time.
func (s shares) print(events int) {
	fmt.Printf("where the time goes, at %d events, another run\n", events)
	share := func(name string, seconds float64, note string) {
		line(name, "%.1f s of %.1f s, %.0f %%%s", seconds, s.whole, 100*seconds/s.whole, note)
	}
	share("waiting for the node", s.fetch, "; up to 8 blocks at once, beside the rest")
	share("decoding answers", s.decode, "; as above, waits for a processor included")
	share("committing rows", s.commit, "; beside fetching, decoding and deriving")
	share("building indexes, attaching", s.build, "")
	var parts []string
	for _, c := range s.cpu {
		parts = append(parts, fmt.Sprintf("%s %.0f", c.name, c.percent))
	}
	line("processor time of the index, %", "%s", strings.Join(parts, ", "))
	fmt.Println()
}

// printSummary compares the largest size with the smallest.
func printSummary(results []result) {
	first, last := results[0], results[len(results)-1]
	if len(results) == 1 {
		return
	}
	fmt.Printf("from %d to %d events\n", first.events, last.events)
	line("events/s, change", "%+.0f %%  (goal: at least -25)",
		100*(rate(last.events, last.backfill.Took)/rate(first.events, first.backfill.Took)-1))
	for i, p := range last.pages {
		before := first.pages[i]
		goal := ""
		if p.name != pageRare {
			goal = "  (goal: at most 1.50)"
		}
		line("buffers, "+p.name+" by "+filters[p.filter].name, "× %.2f  from %d to %d%s",
			float64(p.buffers)/float64(before.buffers), before.buffers, p.buffers, goal)
	}
	fmt.Println()
}

func line(name, format string, args ...any) {
	fmt.Printf("  %-42s %s\n", name, fmt.Sprintf(format, args...))
}
