package privacy

import (
	"bytes"
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"astrolabe/domain"
	"astrolabe/rest/frame"
)

// generations keeps the last body of each chain, with the time of its
// generation. A body is generated at most once in a second, so that no two
// bodies of this process have the same Last-Modified.
type generations struct {
	now      func() time.Time
	generate func(context.Context, domain.Chain) ([]byte, error)
	runs     singleflight.Group

	mu   sync.Mutex
	last map[domain.Chain]frame.Versioned
}

func newGenerations(now func() time.Time, generate func(context.Context, domain.Chain) ([]byte, error)) *generations {
	if now == nil {
		now = time.Now
	}
	return &generations{now: now, generate: generate, last: map[domain.Chain]frame.Versioned{}}
}

// generationTime limits a generation, which continues when the callers that wait
// for it give up.
const generationTime = 5 * time.Second

// current returns the body of this second. Callers that come while it is
// generated share it.
func (g *generations) current(ctx context.Context, c domain.Chain) (frame.Versioned, error) {
	if body, ok := g.of(c, g.now()); ok {
		return body, nil
	}
	run := g.runs.DoChan(string(c), func() (any, error) { return g.run(context.WithoutCancel(ctx), c) })
	select {
	case result := <-run:
		body, _ := result.Val.(frame.Versioned)
		return body, result.Err
	case <-ctx.Done():
		return frame.Versioned{}, ctx.Err()
	}
}

// of returns the last body if it was generated in the second of a time.
func (g *generations) of(c domain.Chain, at time.Time) (frame.Versioned, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	body, ok := g.last[c]
	return body, ok && body.Modified.Unix() == at.Unix()
}

// run generates a body. One that equals the last keeps its time.
func (g *generations) run(ctx context.Context, c domain.Chain) (frame.Versioned, error) {
	at := g.now()
	if body, ok := g.of(c, at); ok { // a run ended meanwhile
		return body, nil
	}
	ctx, cancel := context.WithTimeout(ctx, generationTime)
	defer cancel()
	body, err := g.generate(ctx, c)
	if err != nil {
		return frame.Versioned{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if last, ok := g.last[c]; !ok || !bytes.Equal(last.Body, body) {
		g.last[c] = frame.Versioned{Body: body, Modified: at}
	}
	return g.last[c], nil
}
