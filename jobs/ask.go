package jobs

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/starknet"
)

const (
	askedAtOnce = 8                // tokens that a node is asked about at the same time
	askTimeout  = 20 * time.Second // for all answers
)

// AskEach asks a node about tokens. It returns the answers that there were, in
// the order of the tokens, and the first reason why others are missing.
func AskEach[Answer any](ctx context.Context, tokens []starknet.Felt, ask func(context.Context, starknet.Felt) (Answer, error)) ([]Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(askedAtOnce)
	found := make([]*Answer, len(tokens))
	for i, token := range tokens {
		group.Go(func() error {
			answer, err := ask(ctx, token)
			if err == nil {
				found[i] = &answer
			}
			return err
		})
	}
	failure := group.Wait()
	answers := make([]Answer, 0, len(tokens))
	for _, answer := range found {
		if answer != nil {
			answers = append(answers, *answer)
		}
	}
	return answers, failure
}
