package index_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

func TestEventsOfPoolsAreReadBackAndUndoneWithTheirBlocks(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Followed)
	blocks, written := repotest.Everyday(t), 0
	variants := map[facts.PoolVariant]bool{}
	for block, err := range index.NewArchive(db).Stored(t.Context(), domain.Mainnet, 0, 1000) {
		if err != nil {
			t.Fatal(err)
		}
		want := blocks[block.Header.Number].PoolEvents
		if diff := cmp.Diff(want, block.PoolEvents); diff != "" {
			t.Errorf("block %d (-want +got):\n%s", block.Header.Number, diff)
		}
		written += len(want)
		for i := range want {
			variants[want[i].Variant] = true
		}
	}
	if written < 50 || len(variants) < 8 {
		t.Errorf("got %d events of %d variants, want at least 50 of 8", written, len(variants))
	}
	i := repotest.NewIndex(t.Context(), db, 0, 10)
	i.Undo(&blocks[50].Header)
	var above int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM privacy_events WHERE block > 50").Scan(&above); err != nil || i.Err() != nil || above > 0 {
		t.Errorf("after undoing the blocks above 50: got %d rows above it, %v and %v, want none", above, err, i.Err())
	}
}

// ledgerBlock returns the block of the ledger after it was set to 40.
func ledgerBlock(t *testing.T, change func(db *repo.DB, lease indexing.Lease) error) *int64 {
	t.Helper()
	db, conn := repotest.Connect(t, repotest.Followed)
	if _, err := conn.Exec(t.Context(), "UPDATE privacy_ledgers SET block = 40 WHERE chain = 1"); err != nil {
		t.Fatal(err)
	}
	lease, leads, err := index.NewLeases(db).TakeLease(t.Context(), domain.Mainnet, "test", time.Minute)
	if err != nil || !leads {
		t.Fatalf("got %v and %v, want the lease", leads, err)
	}
	if err := change(db, lease); err != nil {
		t.Fatal(err)
	}
	var block *int64
	if err := conn.QueryRow(t.Context(), "SELECT block FROM privacy_ledgers WHERE chain = 1").Scan(&block); err != nil {
		t.Fatal(err)
	}
	return block
}

func TestTheLedgerIsEmptiedWhenItsBlocksChange(t *testing.T) {
	t.Parallel()
	blocks := repotest.Everyday(t)
	at := func(number int) *domain.BlockRef {
		return &domain.BlockRef{Number: blocks[number].Header.Number, Hash: blocks[number].Header.Hash}
	}
	rewrite := func(number int, table facts.Table) func(*repo.DB, indexing.Lease) error {
		return func(db *repo.DB, lease indexing.Lease) error {
			within := indexing.Range{From: 20, To: 40, State: indexing.RangeReady}
			if number >= 40 {
				within.From = 40
			}
			return index.NewWriter(db).Rewrite(t.Context(), lease, indexing.Run{Range: within, Blocks: blocks[number : number+1]}, table)
		}
	}
	for name, c := range map[string]struct {
		change func(*repo.DB, indexing.Lease) error
		kept   bool
	}{
		"undo above it": {func(db *repo.DB, lease indexing.Lease) error {
			return index.NewWriter(db).Undo(t.Context(), lease, at(50))
		}, true},
		"roll back to it": {func(db *repo.DB, lease indexing.Lease) error {
			return index.NewWriter(db).Rollback(t.Context(), lease, at(40))
		}, true},
		"roll back below it": {func(db *repo.DB, lease indexing.Lease) error {
			return index.NewWriter(db).Rollback(t.Context(), lease, at(39))
		}, false},
		"rewrite its events":      {rewrite(39, facts.TablePrivacyEvents), false},
		"rewrite its transfers":   {rewrite(39, facts.TableTransfers), false},
		"rewrite its activity":    {rewrite(39, facts.TableActivity), true},
		"rewrite events above it": {rewrite(41, facts.TablePrivacyEvents), true},
		"set other pools for a chain": {func(db *repo.DB, lease indexing.Lease) error {
			return index.NewPools(db).SetPrivacyPools(t.Context(), lease, []starknet.Felt{{1}})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if block := ledgerBlock(t, c.change); (block != nil) != c.kept {
				t.Errorf("got the ledger's block %v, want it kept: %t", block, c.kept)
			}
		})
	}
}

func TestPoolsAreStoredWhenAnIndexBegins(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Followed)
	archive := index.NewArchive(db)
	require := func(when string, want ...starknet.Felt) {
		t.Helper()
		got, err := archive.PrivacyPools(t.Context(), domain.Mainnet)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: got %v (-want +got):\n%s", when, err, diff)
		}
	}
	require("after the first block", privacy.KnownPools(domain.Mainnet)...)
	writer := index.NewWriter(db)
	lease, leads, err := index.NewLeases(db).TakeLease(t.Context(), domain.Mainnet, "test", time.Minute)
	if err != nil || !leads {
		t.Fatalf("got %v and %v, want the lease", leads, err)
	}
	one, two := starknet.FeltFromUint64(1), starknet.FeltFromUint64(2)
	if err := index.NewPools(db).SetPrivacyPools(t.Context(), lease, []starknet.Felt{two, one, two}); err != nil {
		t.Fatal(err)
	}
	require("after a change", one, two)
	var current int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM deriver_versions WHERE chain = 1 AND fact = 'privacy_events'").Scan(&current); err != nil || current != 0 {
		t.Errorf("after a change: got %d recorded versions and %v, want none until the events are derived again", current, err)
	}
	if err := writer.Rollback(t.Context(), lease, nil); err != nil {
		t.Fatal(err)
	}
	require("without an index")
}
