package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// stragglerTime is how long the other upstreams may take once enough have answered.
const stragglerTime = time.Second

// answer is the answer of one upstream.
type answer[T any] struct {
	from  *upstream
	value T
	err   error
}

// String returns the upstream with its answer or its error.
func (a answer[T]) String() string {
	if a.err != nil {
		return fmt.Sprintf("%s: %v", a.from.name, a.err)
	}
	return fmt.Sprintf("%s: %v", a.from.name, a.value)
}

// list returns the answers as a text.
func list[T any](answers []answer[T]) string {
	texts := make([]string, len(answers))
	for i := range answers {
		texts[i] = answers[i].String()
	}
	return strings.Join(texts, "; ")
}

// askAll sends a read to every upstream concurrently. Once enough have answered,
// the others have little time left, so that one that hangs does not delay them all.
// It does not wait at the gate, because health checks must work under load.
func askAll[T any](ctx context.Context, p *Pool, enough int, q query, decode func([]byte) (T, error)) ([]answer[T], error) {
	ctx, done, err := p.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, p.options.Timeout)
	defer cancel()
	answers := make([]answer[T], len(p.upstreams))
	var asked sync.WaitGroup
	var answered atomic.Int64
	for i, u := range p.upstreams {
		asked.Go(func() {
			a, q := &answers[i], q
			a.from = u
			q.accept = func(result json.RawMessage) (err error) {
				a.value, err = decode(result)
				return err
			}
			_, a.err = p.try(ctx, u, q, 1)
			for p.waitOut(ctx, a.err, &q) {
				_, a.err = p.try(ctx, u, q, 1)
			}
			if a.err == nil && answered.Add(1) == int64(enough) {
				time.AfterFunc(stragglerTime, cancel)
			}
		})
	}
	asked.Wait()
	return answers, nil
}

// failure returns the error of a call that no upstream answered: a node error,
// or else the faults of all.
func failure[T any](answers []answer[T]) error {
	var failed Unavailable
	for _, a := range answers {
		fault, isFault := errors.AsType[*Fault](a.err)
		if !isFault {
			return a.err
		}
		failed.Faults = append(failed.Faults, fault)
	}
	return &failed
}
