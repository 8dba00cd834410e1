package abi

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// list writes a JSON list of n entries.
func list(n int, entry func(i int) string) string {
	entries := make([]string, n)
	for i := range entries {
		entries[i] = entry(i)
	}
	return "[" + strings.Join(entries, ",") + "]"
}

// variants writes an event enum around the given variants.
func variants(name, list string) string {
	return fmt.Sprintf(`{"type":"event","name":%q,"kind":"enum","variants":%s}`, name, list)
}

func plainEvents(n int) string {
	return list(n, func(i int) string { return fmt.Sprintf(`{"type":"event","name":"e%d","inputs":[]}`, i) })
}

// labelled is an event with a field of a long name that has n fields.
func labelled(name string, n int) string {
	members := list(n, func(i int) string { return fmt.Sprintf(`{"name":"m%d","type":"felt","kind":"data"}`, i) })
	return `[` + variants("c::Event", `[{"name":"E","type":"c::E","kind":"nested"}]`) +
		`,{"type":"event","name":"c::E","kind":"struct","members":[{"name":"` + name + `","type":"c::I","kind":"nested"}]}` +
		`,{"type":"event","name":"c::I","kind":"struct","members":` + members + `}]`
}

// takers are n functions that take a value each.
func takers(n int, typeName func(i int) string) string {
	return list(n, func(i int) string {
		return fmt.Sprintf(`{"type":"function","name":"f%d","inputs":[{"name":"a","type":%q}]}`, i, typeName(i))
	})
}

// nestedEvents are n events below enums of long names.
func nestedEvents(depth, length, n int) string {
	text := "[" + variants("e0", list(n, func(i int) string { return fmt.Sprintf(`{"name":"v%d","type":"()","kind":"nested"}`, i) }))
	for i := 1; i <= depth; i++ {
		text += "," + variants(fmt.Sprint("e", i), fmt.Sprintf(`[{"name":%q,"type":"e%d","kind":"nested"}]`, strings.Repeat("n", length), i-1))
	}
	return text + "]"
}

// pointers is a function that takes n arrays after their lengths.
func pointers(n int) string {
	lengths := list(n, func(i int) string { return fmt.Sprintf(`{"name":"a%d_len","type":"felt"}`, i) })
	arrays := list(n, func(i int) string { return fmt.Sprintf(`{"name":"a%d","type":"felt*"}`, n-1-i) })
	return `[{"type":"function","name":"f","inputs":` + lengths[:len(lengths)-1] + "," + arrays[1:] + `}]`
}

// wide is a struct of n members, and as many functions that take it, each in
// its own boxes.
func wide(n int) string {
	members := list(n, func(int) string { return `{"type":"felt"}` })
	functions := takers(n, func(i int) string {
		name := "S"
		for ; i > 0; i /= 2 {
			name = [...]string{"@" + name, "core::box::Box::<" + name + ">"}[i%2]
		}
		return name
	})
	return `[{"type":"struct","name":"S","members":` + members + `},` + functions[1:]
}

// bombs are ABIs in which few bytes refer to much, and whether they can be
// compiled.
var bombs = map[string]struct {
	text string
	read bool
}{
	"many events":        {plainEvents(70_000), false},
	"most events":        {plainEvents(maxEvents), true},
	"one event too many": {plainEvents(maxEvents + 1), false},
	"a long label":       {labelled(strings.Repeat("x", 100_000), 1_000), false},
	"a longer label":     {labelled(strings.Repeat("x", 2_000_000), 8_000), false},
	"long labels":        {labelled(strings.Repeat("x", maxText-10), 8_000), false},
	"long paths":         {nestedEvents(14, maxText, 8_000), false},
	"events of one key":  {nestedEvents(1, 3, 8_000), true},
	"deep types":         {takers(25_000, func(i int) string { return strings.Repeat("@", 60) + fmt.Sprint("m", i) }), false},
	"deep long types": {takers(900, func(i int) string {
		return strings.Repeat("(", 60) + strings.Repeat("m", 3_900) + fmt.Sprint(i) + strings.Repeat(")", 60)
	}), false},
	"a wide type in boxes": {wide(15_000), false},
	"pointers":             {pointers(15_000), false},
	"functions":            {takers(25_000, func(int) string { return "felt" }), true},
	"empty entries":        {list(1_300_000, func(int) string { return `{}` }), false},
	"most empty entries":   {list(maxElements-1, func(int) string { return `{}` }), true},
	"most empty members":   {`[{"type":"struct","members":` + list(maxElements-4, func(int) string { return `{}` }) + `}]`, true},
	"absent entries":       {list(800_000, func(int) string { return `null` }), false},
}

// It counts the allocations of the whole process, so it does not run in
// parallel.
func TestNoABICostsMoreThanItIsWorth(t *testing.T) {
	for name, bomb := range bombs {
		if len(bomb.text) > 4<<20 {
			t.Errorf("%s: got %d bytes, want at most %d, as in a class", name, len(bomb.text), 4<<20)
		}
		text := []byte(bomb.text)
		var before, after, kept runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		schema, err := Compile(text)
		var ambiguous int
		if err == nil {
			ambiguous = len(schema.Ambiguous())
		}
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&kept)
		runtime.KeepAlive(schema)
		runtime.KeepAlive(text)
		if bomb.read && err != nil || !bomb.read && !errors.Is(err, ErrMalformedABI) || ambiguous > 0 {
			t.Errorf("%s: got %v and %d ambiguous events, want it read: %v, and none", name, err, ambiguous, bomb.read)
		}
		allocated, live := after.TotalAlloc-before.TotalAlloc, int64(kept.HeapAlloc)-int64(before.HeapAlloc)
		if allocated > 128<<20 || live > 32<<20 || took > time.Minute {
			t.Errorf("%s of %d bytes: got %d bytes allocated, %d kept, in %s; want at most %d, %d and a minute", name, len(text), allocated, live, took, 128<<20, 32<<20)
		}
	}
}

func TestAnOverlongLabelMakesItsEventUnsupported(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]error{maxText - 3: nil, maxText - 2: ErrUnsupportedType} {
		events := mustCompile(t, labelled(strings.Repeat("x", length), 2)).Events()
		if len(events) != 1 || !errors.Is(events[0].Unsupported(), want) {
			t.Errorf("label of %d bytes: got %d events, %v, want one with %v", length+3, len(events), events[0].Unsupported(), want)
		}
	}
}
