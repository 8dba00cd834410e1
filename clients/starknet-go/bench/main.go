// Command bench measures astrolabe/starknet beside starknet.go on the same inputs, in
// turns within one run, and prints ratios. It is run by "make bench-starknet".
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"testing"
)

// rounds is how often each comparison is measured; the median counts.
const rounds = 5

// comparison is one piece of work, done by both.
type comparison struct {
	name string
	// unit is what one operation yields so many of.
	unit   string
	number int
	ours   func()
	theirs func() // nil when starknet.go has nothing of the kind
}

func main() {
	log.SetFlags(0)
	testing.Init()
	data := flag.String("data", "../shared/data/real", "folder of real blocks and classes")
	lasts := flag.String("lasts", "300ms", "time of each measurement")
	flag.Parse()
	if err := flag.Set("test.benchtime", *lasts); err != nil {
		log.Fatal(err)
	}
	comparisons := poseidon()
	if _, err := os.Stat(*data); err != nil {
		fmt.Printf("Without real classes and blocks: there are none at %s.\n\n", *data)
	} else {
		comparisons = append(comparisons, classes(*data)...)
		comparisons = append(comparisons, events(*data)...)
	}
	fmt.Printf("%-42s %-12s %14s %12s %12s\n", "", "", "per second", "allocations", "bytes")
	for _, c := range comparisons {
		c.run()
	}
}

// run measures both in turns and prints the medians.
func (c comparison) run() {
	var ours, theirs []testing.BenchmarkResult
	for range rounds {
		ours = append(ours, measure(c.ours))
		if c.theirs != nil {
			theirs = append(theirs, measure(c.theirs))
		}
	}
	own := median(ours)
	c.print(c.name, "astrolabe", own)
	if c.theirs == nil {
		fmt.Printf("%-42s %-12s %14s\n", "", "starknet.go", "has none")
		return
	}
	other := median(theirs)
	c.print("", "starknet.go", other)
	fmt.Printf("%-42s %-12s %13.2fx\n", "", "ratio", nanoseconds(other)/nanoseconds(own))
}

func (c comparison) print(name, who string, r testing.BenchmarkResult) {
	rate := float64(c.number) * 1e9 / nanoseconds(r)
	digits := 0
	if rate < 100 {
		digits = 1
	}
	fmt.Printf("%-42s %-12s %14s %12d %12d\n", name, who, fmt.Sprintf("%.*f %s", digits, rate, c.unit), r.AllocsPerOp(), r.AllocedBytesPerOp())
}

func measure(work func()) testing.BenchmarkResult {
	return testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			work()
		}
	})
}

func nanoseconds(r testing.BenchmarkResult) float64 { return float64(r.T.Nanoseconds()) / float64(r.N) }

func median(results []testing.BenchmarkResult) testing.BenchmarkResult {
	slices.SortFunc(results, func(a, b testing.BenchmarkResult) int {
		return cmp.Compare(nanoseconds(a), nanoseconds(b))
	})
	return results[len(results)/2]
}

// check ends the program on an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
