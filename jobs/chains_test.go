package jobs

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain"
)

// TestAChainThatFailsKeepsNoOtherWaiting lets one chain wait for the other, so
// it would not end if they were worked on one after the other.
func TestAChainThatFailsKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	away := errors.New("the node is away")
	for _, first := range [][]domain.Chain{{domain.Mainnet, domain.Sepolia}, {domain.Sepolia, domain.Mainnet}} {
		reached, done := make(chan struct{}), false
		err := EachChain(slices.Values(first), func(c domain.Chain) error {
			if c == domain.Mainnet {
				<-reached
				return away
			}
			close(reached)
			done = true
			return nil
		})
		if !done || !errors.Is(err, away) || !strings.Contains(err.Error(), string(domain.Mainnet)) || strings.Contains(err.Error(), string(domain.Sepolia)) {
			t.Errorf("done is %v, got %v", done, err)
		}
	}
}

func TestAPanicFailsItsChainOnly(t *testing.T) {
	t.Parallel()
	done := false
	err := EachChain(slices.Values(domain.Chains), func(c domain.Chain) error {
		if c == domain.Mainnet {
			panic("no such token")
		}
		done = true
		return nil
	})
	if !done || err == nil || !strings.Contains(err.Error(), "no such token") || !strings.Contains(err.Error(), "chains_test.go") {
		t.Errorf("done is %v, got %v", done, err)
	}
}
