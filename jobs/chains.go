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

// EachChain works on all chains concurrently, so that a slow node delays only
// its own chain, and joins the errors. A panic fails only its chain.
func EachChain(chains iter.Seq[domain.Chain], work func(c domain.Chain) error) error {
	list := slices.Collect(chains)
	failures := make([]error, len(list))
	var group sync.WaitGroup
	for i, c := range list {
		group.Go(func() { failures[i] = guarded(c, work) })
	}
	group.Wait()
	return errors.Join(failures...)
}

// ChainByChain works on one chain after another, for jobs that work in the
// database: they hold one connection at a time. A failure does not stop the
// other chains.
func ChainByChain(chains iter.Seq[domain.Chain], work func(c domain.Chain) error) error {
	var failures []error
	for c := range chains {
		failures = append(failures, guarded(c, work))
	}
	return errors.Join(failures...)
}

// guarded adds the chain to an error and turns a panic into one.
func guarded(c domain.Chain, work func(c domain.Chain) error) (failure error) {
	defer func() {
		if reason := recover(); reason != nil {
			failure = fmt.Errorf("%s: panic: %v\n%s", c, reason, debug.Stack())
		}
	}()
	if err := work(c); err != nil {
		return fmt.Errorf("%s: %w", c, err)
	}
	return nil
}
