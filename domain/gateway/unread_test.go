package gateway

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"astrolabe/domain/account"
)

// TestAnswersThatClientsDoNotReadAreNotReadFromTheNode sends many requests on
// four sockets and receives nothing at first.
func TestAnswersThatClientsDoNotReadAreNotReadFromTheNode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		casm := json.RawMessage(`"` + strings.Repeat("x", maxCasm-100) + `"`)
		var read atomic.Int64
		g, _ := open(&fakeNode{answer: func(context.Context, Call) (json.RawMessage, error) {
			read.Add(1)
			return casm, nil
		}})
		ctx := callerWith(t.Context(), account.Read)
		var (
			sessions []*Session
			running  sync.WaitGroup
		)
		const sockets, requests = 4, 16
		for range sockets {
			s := g.Open(ctx)
			sessions = append(sessions, s)
			for range requests {
				running.Go(func() {
					_ = s.Answer(ctx, request("starknet_getCompiledCasm", `["0x1"]`), func(a Answer) []byte { return a.Result })
				})
			}
		}
		synctest.Wait()
		if got, most := read.Load(), int64(maxUnread/2/(maxCasm-100)); got > most {
			t.Errorf("got %d answers of 4 MiB that nobody receives, want at most %d", got, most)
		}
		for _, s := range sessions {
			running.Go(func() {
				for range requests {
					if m, err := s.Next(ctx); err != nil || len(m.Answer) != len(casm) {
						t.Errorf("got %d bytes and %v, want an answer", len(m.Answer), err)
					}
				}
			})
		}
		running.Wait()
		for _, s := range sessions {
			s.Close()
		}
		if used := g.unread.Used(); used != 0 {
			t.Errorf("got %d bytes held at the end, want none", used)
		}
	})
}

func TestClosedSessionHoldsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := open(&fakeNode{answer: func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(`"x"`), nil }})
		ctx := callerWith(t.Context(), account.Read)
		s := g.Open(ctx)
		encode := func(a Answer) []byte { return a.Result }
		if err := s.Answer(ctx, request("starknet_call", `[]`), encode); err != nil {
			t.Fatal(err)
		}
		if refused := s.AnswerBatch(ctx, []Request{request("starknet_call", `[]`)}, func(a []Answer) []byte { return a[0].Result }); refused != nil {
			t.Fatal(refused)
		}
		s.Close()
		_ = s.Answer(ctx, request("starknet_call", `[]`), encode)
		if used := g.unread.Used(); used != 0 {
			t.Errorf("got %d bytes held, want none", used)
		}
	})
}
