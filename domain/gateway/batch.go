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
// repeated alone: some of those may have been refused since.
func (g *Gateway) AnswerBatch(ctx context.Context, requests []Request) ([]Answer, *Error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	allowance := NewAllowance(MaxAnswer)
	answers, crowded := make([]Answer, len(requests)), make([]bool, len(requests))
	var group errgroup.Group
	group.SetLimit(batchConcurrency)
	for i, r := range requests {
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
	if allowance.Exhausted() {
		return nil, invalid(Unavailable, ReasonBatchResponse, "The answers of the batch exceed %d bytes together. Send fewer requests at once.", int64(MaxAnswer))
	}
	return answers, nil
}
