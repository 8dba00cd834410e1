package graph

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"astrolabe/domain"
)

// TestLargeOperationsWaitForMemoryInTheirTime holds all memory of the queue.
// Small operations go on, a large one waits and is not charged for it.
func TestLargeOperationsWaitForMemoryInTheirTime(t *testing.T) {
	t.Parallel()
	g, header := serveFrozen(t, 100_000)
	g.TimeLimit = 2 * time.Second
	held, err := g.memory.reserve(t.Context(), 10_000_000)
	if err != nil {
		t.Fatal(err)
	}
	const large = `{"query":"{ chains(first: 100) { nodes { id chainId chainIdFelt a: id b: id c: id d: id e: id f: id g: id h: id i: id j: id k: id l: id m: id n: id o: id p: id q: id r: id s: id t: id u: id } } }"}`
	a := g.post(t, large, header)
	if a.status != http.StatusServiceUnavailable || a.body.Errors[0].Extensions.Code != domain.CodeServiceUnavailable || a.header.Get("X-Ratelimit-Remaining") != "99999" {
		t.Errorf("got status %d, headers %v and %s; want 503 for the price of 1", a.status, a.header, a.text)
	}
	g.TimeLimit = time.Minute
	if a := g.post(t, costsTwo, header); a.status != http.StatusOK {
		t.Errorf("got status %d with %s, want 200 for a small operation", a.status, a.text)
	}
	held.release()
	if a := g.post(t, large, header); a.status != http.StatusOK || len(a.body.Errors) > 0 {
		t.Errorf("got status %d with %s, want 200 when there is memory", a.status, a.text)
	}
}

func TestReservationGrowsAsFarAsThereIsMemory(t *testing.T) {
	t.Parallel()
	m := newMemory(8 * memoryStep)
	first, err := m.reserve(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	second, err := m.reserve(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.use(3 * memoryStep); err != nil {
		t.Errorf("got %v, want memory for the first", err)
	}
	if err := second.use(3 * memoryStep); domain.CodeOf(err) != domain.CodeServiceUnavailable {
		t.Errorf("got %v, want %s: the first has it", err, domain.CodeServiceUnavailable)
	}
	second.release()
	if err := first.use(2 * memoryStep); domain.CodeOf(err) != domain.CodePayloadTooLarge {
		t.Errorf("got %v, want %s: no operation may have so much", err, domain.CodePayloadTooLarge)
	}
	first.release()
	if err := second.use(3 * memoryStep); err != nil {
		t.Errorf("got %v, want memory after the first was released", err)
	}
	second.release()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.reserve(t.Context(), smallCost*1000); err != nil {
		t.Fatal(err)
	}
	if _, err := m.reserve(ended, smallCost*1000); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
