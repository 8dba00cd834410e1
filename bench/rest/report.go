package main

import (
	"fmt"
	"strings"
)

// print prints the searches at one size.
func (r searchResult) print() {
	fmt.Printf("search of %d events\n", r.events)
	for i, q := range r.asked {
		line("buffers, "+q.name, "%d", r.buffers[i])
	}
	line("all of them in turns, over HTTP", "%s, on %d connections", strings.TrimSpace(r.load.String()), clients)
	fmt.Println()
}

// printGrowth compares the largest size with the smallest.
func printGrowth(results []searchResult) {
	first, last := results[0], results[len(results)-1]
	if len(results) == 1 {
		return
	}
	fmt.Printf("search, from %d to %d events\n", first.events, last.events)
	for i, q := range last.asked {
		line("buffers, "+q.name, "× %.2f  from %d to %d  (goal: at most 1.50)", float64(last.buffers[i])/float64(first.buffers[i]), first.buffers[i], last.buffers[i])
	}
	line("p99 over HTTP", "× %.2f", last.load.P99.Seconds()/first.load.P99.Seconds())
	fmt.Println()
}

func line(name, format string, args ...any) {
	fmt.Printf("  %-42s %s\n", name, fmt.Sprintf(format, args...))
}
