package jobs

import (
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"sync"

	"astrolabe/domain"
)

// EachChain works on all chains at once, so that one that is slow or fails
// holds up no other, and returns what failed. A panic fails only its chain.
func EachChain(chains iter.Seq[domain.Chain], work func(c domain.Chain) error) error {
	list := slices.Collect(chains)
	failures := make([]error, len(list))
	var group sync.WaitGroup
	for i, c := range list {
		group.Go(func() {
			defer func() {
				if reason := recover(); reason != nil {
					failures[i] = fmt.Errorf("%s: panic: %v\n%s", c, reason, debug.Stack())
				}
			}()
			if err := work(c); err != nil {
				failures[i] = fmt.Errorf("%s: %w", c, err)
			}
		})
	}
	group.Wait()
	return errors.Join(failures...)
}
