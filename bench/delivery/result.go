package delivery

import (
	"fmt"
	"time"
)

// Result is what was measured.
type Result struct {
	Measurement
	late         []time.Duration // sorted
	heap, stacks float64         // of one subscriber, in bytes
}

// Print prints the result. The goal is the most memory that a subscriber should
// take, in KB; 0 for no goal.
func (r Result) Print(goal int) {
	fmt.Printf("%d subscribers on separate sockets, %d blocks\n", r.Subscribers, r.Blocks)
	fmt.Printf("received after the first one   p50 %.1f ms  p99 %.1f ms  last %.1f ms\n",
		ms(r.late[len(r.late)/2]), ms(r.late[len(r.late)*99/100]), ms(r.late[len(r.late)-1]))
	fmt.Printf("memory of each                 %.1f KB: heap %.1f, stacks %.1f", (r.heap+r.stacks)/1000, r.heap/1000, r.stacks/1000)
	if goal > 0 {
		fmt.Printf("  (goal: at most %d)", goal)
	}
	fmt.Println()
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
