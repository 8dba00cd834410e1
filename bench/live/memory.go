package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// footprint is the memory that a program holds for its goroutines.
type footprint struct{ heap, stacks float64 }

// each is what every one of so many has added to an earlier footprint, in KB.
func (f footprint) each(before footprint, count int) []any {
	heap, stacks := (f.heap-before.heap)/float64(count)/1000, (f.stacks-before.stacks)/float64(count)/1000
	return []any{heap + stacks, heap, stacks}
}

// memory has the program collect its garbage, twice so that stacks shrink, and
// asks what is left.
func memory(ctx context.Context, admin string) (f footprint, err error) {
	for range 2 {
		if _, err := get(ctx, admin+"/debug/pprof/heap?gc=1"); err != nil {
			return f, err
		}
	}
	text, err := get(ctx, admin+"/metrics")
	if err != nil {
		return f, err
	}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		switch name {
		case "go_memstats_alloc_bytes":
			f.heap, err = strconv.ParseFloat(value, 64)
		case "go_memstats_stack_inuse_bytes":
			f.stacks, err = strconv.ParseFloat(value, 64)
		}
		if err != nil {
			return f, err
		}
	}
	if f.heap == 0 || f.stacks == 0 {
		return f, fmt.Errorf("%s does not tell the memory", admin)
	}
	return f, nil
}

func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s", url, response.Status)
	}
	return string(text), err
}
