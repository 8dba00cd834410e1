package delivery

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// footprint is the memory of the Go runtime.
type footprint struct{ heap, stacks, goroutines float64 }

// settled returns the footprint as soon as there are at most this many
// goroutines.
func settled(ctx context.Context, admin string, goroutines float64) (f footprint, err error) {
	for {
		f, err = memory(ctx, admin)
		if err != nil || f.goroutines <= goroutines {
			return f, err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return f, ctx.Err()
		}
	}
}

// memory triggers two garbage collections, so that stacks shrink, and reads the
// metrics.
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
		case "go_goroutines":
			f.goroutines, err = strconv.ParseFloat(value, 64)
		}
		if err != nil {
			return f, err
		}
	}
	if f.heap == 0 || f.stacks == 0 {
		return f, fmt.Errorf("%s has no memory metrics", admin)
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
		err = fmt.Errorf("%s responded with %s", url, response.Status)
	}
	return string(text), err
}
