package index_test

import (
	"errors"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

func TestOneProcessLeadsAChain(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	leases := index.NewLeases(db)
	first, leads, err := leases.TakeLease(t.Context(), domain.Mainnet, "a", time.Hour)
	if err != nil || !leads {
		t.Fatalf("leads %t, %v, want true", leads, err)
	}
	if _, leads, err := leases.TakeLease(t.Context(), domain.Mainnet, "b", time.Hour); err != nil || leads {
		t.Errorf("a second process leads: %v, %v, want one leader", leads, err)
	}
	if _, leads, err := leases.TakeLease(t.Context(), domain.Sepolia, "b", time.Hour); err != nil || !leads {
		t.Errorf("another chain has no leader of its own: %v, %v, want one", leads, err)
	}
	renewed, leads, err := leases.TakeLease(t.Context(), domain.Mainnet, "a", time.Hour)
	if err != nil || !leads || renewed.Epoch != first.Epoch {
		t.Errorf("renewal: %+v, %v, %v, want epoch %d", renewed, leads, err, first.Epoch)
	}
	if err := leases.ReleaseLease(t.Context(), renewed); err != nil {
		t.Fatal(err)
	}
	next, leads, err := leases.TakeLease(t.Context(), domain.Mainnet, "b", time.Hour)
	if err != nil || !leads || next.Epoch != first.Epoch+1 {
		t.Errorf("after the release: %+v, %v, %v, want epoch %d", next, leads, err, first.Epoch+1)
	}
}

func TestALeaderPausedPastItsLeaseCannotWrite(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	leases, writer := index.NewLeases(db), index.NewWriter(db)
	paused, _, err := leases.TakeLease(t.Context(), domain.Mainnet, "a", time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	head := chain.Head{State: chain.Following, Block: &domain.BlockRef{Number: 5, Hash: starknet.FeltFromUint64(5)}}
	for leads := false; !leads; { // until the lease has run out
		_, leads, err = leases.TakeLease(t.Context(), domain.Mainnet, "b", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.RecordHead(t.Context(), paused, head); !errors.Is(err, indexing.ErrLeaseLost) {
		t.Errorf("got %v, want %v", err, indexing.ErrLeaseLost)
	}
	if heads, err := onchain.NewHeads(db).Heads(t.Context()); err != nil || len(heads) != 0 {
		t.Errorf("it wrote %v, %v, want nothing", heads, err)
	}
}

func TestAHeadWithoutABlockKeepsTheLastOneKnown(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	leases, writer := index.NewLeases(db), index.NewWriter(db)
	lease, _, err := leases.TakeLease(t.Context(), domain.Mainnet, "a", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	block := domain.BlockRef{Number: 1 << 40, Hash: starknet.MustFelt("0x5ea1")}
	for _, head := range []chain.Head{
		{State: chain.Following, Block: &block},
		{State: chain.Halted, ReasonCode: chain.ReasonNodeUnavailable},
	} {
		if err := writer.RecordHead(t.Context(), lease, head); err != nil {
			t.Fatal(err)
		}
	}
	heads, err := onchain.NewHeads(db).Heads(t.Context())
	got := heads[domain.Mainnet]
	if !got.Led {
		t.Error("its leader is not seen, want it led")
	}
	if err := leases.ReleaseLease(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	if after, err := onchain.NewHeads(db).Heads(t.Context()); err != nil || after[domain.Mainnet].Led {
		t.Errorf("after the release it still has a leader: got %v, want none", err)
	}
	if err != nil || got.State != chain.Halted || got.ReasonCode != chain.ReasonNodeUnavailable || got.Block == nil || *got.Block != block {
		t.Errorf("got %+v, %v, want %s by %s at %+v", got, err, chain.Halted, chain.ReasonNodeUnavailable, block)
	}
}
