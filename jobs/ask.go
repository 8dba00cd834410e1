package jobs

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"astrolabe/starknet"
)

const (
	askedAtOnce = 8                // concurrent calls to a node
	askTimeout  = 20 * time.Second // for all calls together
)

// AskEach calls ask for each token, concurrently. It returns the answers that
// succeeded, in the order of the tokens, and the first error of the others.
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
