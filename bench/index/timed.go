package main

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"astrolabe/domain/indexing"
	"astrolabe/jobs/index"
	"astrolabe/starknet"
)

// clock sums durations of concurrent work.
type clock struct{ total atomic.Int64 }

func (c *clock) since(began time.Time) { c.total.Add(int64(time.Since(began))) }

func (c *clock) seconds() float64 { return time.Duration(c.total.Load()).Seconds() }

// readsBlock marks the contexts of requests for a block.
type readsBlock struct{}

// timedTransport measures the time from a request for a block to the end of its
// response.
type timedTransport struct {
	http.RoundTripper
	spent *clock
}

// RoundTrip implements http.RoundTripper.
func (t timedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Context().Value(readsBlock{}) == nil {
		return t.RoundTripper.RoundTrip(request)
	}
	defer t.spent.since(time.Now())
	response, err := t.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Body = timedBody{response.Body, t.spent}
	}
	return response, err
}

type timedBody struct {
	io.ReadCloser
	spent *clock
}

// Read implements io.Reader.
func (b timedBody) Read(p []byte) (int, error) {
	defer b.spent.since(time.Now())
	return b.ReadCloser.Read(p)
}

// timedNode measures how long blocks take until they are decoded.
type timedNode struct {
	index.Node
	spent *clock
}

// Block implements index.Node.
func (n timedNode) Block(ctx context.Context, number uint64) (*starknet.BlockWithReceipts, *starknet.StateUpdate, bool, error) {
	defer n.spent.since(time.Now())
	return n.Node.Block(context.WithValue(ctx, readsBlock{}, true), number)
}

// timedWriter measures how long rows and indexes take.
type timedWriter struct {
	index.Writer
	commit, build *clock
}

// Commit implements index.Writer.
func (s timedWriter) Commit(ctx context.Context, lease indexing.Lease, batch indexing.Batch) error {
	defer s.commit.since(time.Now())
	return s.Writer.Commit(ctx, lease, batch)
}

// BuildRange implements index.Writer.
func (s timedWriter) BuildRange(ctx context.Context, lease indexing.Lease, r indexing.Range) error {
	defer s.build.since(time.Now())
	return s.Writer.BuildRange(ctx, lease, r)
}
