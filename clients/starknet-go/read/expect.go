package main

import (
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/NethermindEth/juno/core/felt"
)

// got returns an answer, or ends the program if there is none.
func got[T any](answer T, err error) T {
	if err != nil {
		_ = log.Output(2, err.Error())
		os.Exit(1)
	}
	return answer
}

// expect ends the program unless something holds.
func expect(holds bool, format string, args ...any) {
	if !holds {
		_ = log.Output(2, fmt.Sprintf(format, args...))
		os.Exit(1)
	}
}

// same ends the program unless two felts are there and equal.
func same(a, b *felt.Felt, what string) {
	if a == nil || b == nil || !a.Equal(b) {
		_ = log.Output(2, fmt.Sprintf("%s: %v is not %v", what, a, b))
		os.Exit(1)
	}
}

func fatal(err error) {
	_ = log.Output(2, err.Error())
	os.Exit(1)
}

// equalFelts reports whether two lists are the same.
func equalFelts(a, b []*felt.Felt) bool {
	return slices.EqualFunc(a, b, (*felt.Felt).Equal)
}

// tally counts what was read, in the order in which it first occurred.
type tally struct {
	order  []string
	number map[string]int
}

func (t *tally) add(what string, number int) {
	if _, known := t.number[what]; !known {
		t.order = append(t.order, what)
	}
	t.number[what] += number
}

// String lists the counts, one on each line.
func (t *tally) String() (text string) {
	for _, what := range t.order {
		text += fmt.Sprintf("  %6d %s\n", t.number[what], what)
	}
	return text
}
