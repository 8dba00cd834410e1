package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Request is the request that the connections repeat.
type Request struct {
	Method, URL string
	Body        string // empty for no body
	Header      http.Header
}

// Result is what one run measured.
type Result struct {
	Requests int
	Rate     float64 // completed requests per second
	P50, P99 time.Duration
	Bytes    int // of the longest response body
}

// String prints a result on one line.
func (r Result) String() string {
	return fmt.Sprintf("%8.0f/s  p50 %6.2f ms  p99 %6.2f ms  %d bytes", r.Rate, ms(r.P50), ms(r.P99), r.Bytes)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Run sends the requests in order, repeatedly, from a number of connections for
// the given time. Any status but 200 ends the run with an error.
func Run(ctx context.Context, requests []Request, connections int, lasts time.Duration) (Result, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	var (
		group   sync.WaitGroup
		mu      sync.Mutex
		times   []time.Duration
		failure error
		size    int
		sent    atomic.Uint64
	)
	next := func() Request { return requests[(sent.Add(1)-1)%uint64(len(requests))] }
	started := time.Now()
	for range connections {
		group.Go(func() {
			mine, bytes, err := repeat(ctx, client, next)
			mu.Lock()
			defer mu.Unlock()
			times = append(times, mine...)
			size = max(size, bytes)
			failure = errors.Join(failure, err)
		})
	}
	group.Wait()
	took := time.Since(started)
	if failure != nil || len(times) == 0 {
		return Result{}, errors.Join(failure, fmt.Errorf("%d requests were completed", len(times)))
	}
	slices.Sort(times)
	return Result{
		Requests: len(times), Rate: float64(len(times)) / took.Seconds(), Bytes: size,
		P50: times[len(times)/2], P99: times[len(times)*99/100],
	}, nil
}

// repeat sends requests on one connection until ctx ends.
func repeat(ctx context.Context, client *http.Client, next func() Request) (times []time.Duration, size int, err error) {
	for {
		started := time.Now()
		bytes, err := send(ctx, client, next())
		switch {
		case ctx.Err() != nil: // the time is up
			return times, size, nil //nolint:nilerr // the unfinished request does not count
		case err != nil:
			return times, size, err
		}
		size = max(size, bytes)
		times = append(times, time.Since(started))
	}
}

func send(ctx context.Context, client *http.Client, request Request) (size int, err error) {
	r, err := http.NewRequestWithContext(ctx, request.Method, request.URL, strings.NewReader(request.Body))
	if err != nil {
		return 0, err
	}
	r.Header = request.Header.Clone()
	response, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	n, err := io.Copy(io.Discard, response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s responded with %s", request.URL, response.Status)
	}
	return int(n), err
}
