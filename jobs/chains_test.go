package jobs

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain"
)

// TestAFailingChainDoesNotDelayOthers lets one chain wait for the other, so
// it would never end if they ran one after the other.
func TestAFailingChainDoesNotDelayOthers(t *testing.T) {
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
			t.Errorf("got done %v and %v, want the other chain done and %v of %s alone", done, err, away, domain.Mainnet)
		}
	}
}

func TestAPanicFailsItsChainOnly(t *testing.T) {
	t.Parallel()
	for name, each := range map[string]func(iter.Seq[domain.Chain], func(domain.Chain) error) error{"at once": EachChain, "one by one": ChainByChain} {
		done := false
		err := each(slices.Values(domain.Chains), func(c domain.Chain) error {
			if c == domain.Mainnet {
				panic("no such token")
			}
			done = true
			return nil
		})
		if !done || err == nil || !strings.Contains(err.Error(), "no such token") || !strings.Contains(err.Error(), "chains_test.go") {
			t.Errorf("%s: got done %v and %v, want the other chain done and the panic with its place", name, done, err)
		}
	}
}

// TestChainByChainNeverOverlaps counts the chains in progress.
func TestChainByChainNeverOverlaps(t *testing.T) {
	t.Parallel()
	var order []domain.Chain
	busy := 0
	err := ChainByChain(slices.Values(domain.Chains), func(c domain.Chain) error {
		busy++
		defer func() { busy-- }()
		if busy > 1 {
			t.Errorf("got %d chains at once, want 1", busy)
		}
		order = append(order, c)
		return errors.New("failed")
	})
	if !slices.Equal(order, domain.Chains) || err == nil {
		t.Errorf("got the order %v and %v, want %v and the failures", order, err, domain.Chains)
	}
}
