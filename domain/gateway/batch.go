package gateway

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// batchConcurrency is how many requests of one batch are in flight at once.
const batchConcurrency = 8

// AnswerBatch answers the requests of a batch in their order. The error is the
// answer to the whole batch.
//
// A read whose answer found no room beside others that were being read is
// repeated alone: some of those may have been refused since. Identical reads share
// a call, and each is charged.
func (g *Gateway) AnswerBatch(ctx context.Context, requests []Request) ([]Answer, *Error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	allowance := NewAllowance(MaxAnswer)
	answers, crowded := make([]Answer, len(requests)), make([]bool, len(requests))
	var group errgroup.Group
	group.SetLimit(batchConcurrency)
	firsts := firstReads(requests)
	for i, r := range requests {
		if firsts[i] != i {
			continue
		}
		group.Go(func() error {
			m, _ := Lookup(r.Method)
			portion := allowance.Portion(m.Writes())
			answers[i] = g.answer(ctx, r, portion)
			crowded[i] = portion.keep()
			if allowance.Exhausted() {
				cancel() // nothing of the batch will be answered
			}
			return nil
		})
	}
	_ = group.Wait() // the functions return no error
	for i, r := range requests {
		if crowded[i] && !allowance.Exhausted() {
			m, _ := Lookup(r.Method)
			portion := allowance.Portion(false)
			answers[i].Err = nil
			g.forward(ctx, m, r, portion, &answers[i])
			portion.keep()
		}
	}
	for i, r := range requests {
		if first := firsts[i]; first != i {
			portion := allowance.Portion(false)
			answers[i] = g.repeat(ctx, r, answers[first], portion)
			portion.keep()
		}
	}
	if allowance.Exhausted() {
		return nil, invalid(Unavailable, ReasonBatchResponse, "The responses to the batch exceed %d bytes in total. Send fewer requests at once.", int64(MaxAnswer))
	}
	return answers, nil
}

// firstReads returns for each request the index of the first one that is the
// same read, or its own index.
func firstReads(requests []Request) []int {
	firsts, seen := make([]int, len(requests)), make(map[string]int, len(requests))
	for i, r := range requests {
		firsts[i] = i
		if m, known := Lookup(r.Method); !known || m.Writes() || r.Invalid != nil || r.ID == nil {
			continue
		}
		key := r.Method + string(r.Params)
		if first, ok := seen[key]; ok {
			firsts[i] = first
		} else {
			seen[key] = i
		}
	}
	return firsts
}

// repeat answers a read like an identical one of the batch, if that reached the
// node.
func (g *Gateway) repeat(ctx context.Context, r Request, first Answer, portion *Portion) Answer {
	if !first.forwarded {
		return g.answer(ctx, r, portion)
	}
	m, _ := Lookup(r.Method)
	a := g.admit(ctx, m, Answer{ID: r.ID})
	if a.Err == nil {
		portion.Take(len(first.Result) + len(first.NodeError)) // or the allowance is exhausted
		a.Result, a.NodeError, a.Err = first.Result, first.NodeError, first.Err
	}
	return a
}
