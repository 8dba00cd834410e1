package privacy_test

import (
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/index"
	"astrolabe/repo/privacy"
)

// check returns what the check of the ledger finds.
func (l *ledger) check() []indexing.Finding {
	l.Helper()
	findings, err := privacy.NewLedgers(l.db).Check(domain.Mainnet).Run(l.Context(), 10)
	if err != nil {
		l.Fatal(err)
	}
	return findings
}

func TestAChangeOfAnyRowOfALedgerIsFound(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	l.extendAll(40)
	if found := l.check(); len(found) != 0 {
		t.Fatalf("got %v of a sound ledger, want nothing", found)
	}
	for _, c := range []struct{ damage, want string }{
		{"UPDATE privacy_ledgers SET missing = missing + 1 WHERE chain = 1", "the totals"},
		{"UPDATE privacy_ledgers SET fees = fees + 1 WHERE chain = 1", "the totals"},
		{"UPDATE privacy_counts SET events = events + 1 WHERE variant = 2", "rows of privacy_counts"},
		{"DELETE FROM privacy_wallets WHERE address = (SELECT min(address) FROM privacy_wallets)", "rows of privacy_wallets"},
		{"UPDATE privacy_assets SET withdrawn = withdrawn + 1", "rows of privacy_assets"},
		{"UPDATE privacy_points SET block = block - 1 WHERE hour = (SELECT max(hour) FROM privacy_points)", "rows of privacy_points"},
		{"INSERT INTO privacy_points SELECT chain, hour - 360000, block, hash, timestamp, materialized_at, flow_block, flow_tx, flow_log, pools, tokens, missing FROM privacy_points LIMIT 1", "points, but"},
		{"UPDATE privacy_point_assets SET deposited = deposited + 1 WHERE hour = (SELECT min(hour) FROM privacy_point_assets)", "rows of privacy_point_assets"},
		{"INSERT INTO privacy_point_assets SELECT chain, hour + 360000, token, deposited, withdrawn, deposits, withdrawals, missing FROM privacy_point_assets LIMIT 1", "assets of points"},
		{"UPDATE privacy_points SET materialized_at = '2026-01-01' WHERE hour = (SELECT max(hour) FROM privacy_points); UPDATE privacy_ledgers SET materialized_at = '2020-01-01'", "after its ledger"},
		{"UPDATE privacy_ledgers SET materialized_at = '2100-01-01'", "in the future"},
		{"UPDATE privacy_buckets SET wallets_sum = wallets_sum + 1 WHERE width = 2", "rows of privacy_buckets"},
		{"UPDATE privacy_bucket_flows SET deposited_sum = deposited_sum + 1 WHERE width = 0", "rows of privacy_bucket_flows"},
		{"DELETE FROM privacy_bucket_fees WHERE width = 1", "rows of privacy_bucket_fees"},
		{"UPDATE privacy_events SET reading = 2 WHERE block = 20", "could not be read"},
	} {
		l.exec(c.damage)
		found := l.check()
		if len(found) != 1 || !strings.Contains(found[0].Detail, c.want) || found[0].Repair != "astrolabe repair --chain SN_MAIN --discard ledgers" {
			t.Errorf("%s: got %+v, want one finding of %q", c.damage, found, c.want)
		}
		l.exec("UPDATE privacy_events SET reading = 0 WHERE reading = 2; UPDATE privacy_ledgers SET block = NULL")
		if found := l.check(); len(found) != 0 {
			t.Errorf("got %v of a discarded ledger, want nothing", found)
		}
		l.extendAll(1_000_000)
	}
}

// TestARewriteWaitsForAStepOfTheLedger rewrites blocks above the ledger while a
// step that includes them has not been committed yet.
func TestARewriteWaitsForAStepOfTheLedger(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	l.extend(1)
	lease, leads, err := index.NewLeases(l.db).TakeLease(t.Context(), domain.Mainnet, "operator", time.Hour)
	if err != nil || !leads {
		t.Fatalf("got leading %v and %v, want the lease", leads, err)
	}
	l.exec("BEGIN")
	l.exec("UPDATE privacy_ledgers SET block = 45 WHERE chain = 1") // as a step does
	ended := make(chan error, 1)
	go func() {
		for run, err := range index.NewArchive(l.db).StoredRuns(t.Context(), domain.Mainnet, 30, 31) {
			if err == nil {
				err = index.NewWriter(l.db).Rewrite(t.Context(), lease, run, facts.TablePrivacyEvents)
			}
			ended <- err
		}
	}()
	for l.text("SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") != "true" {
		select {
		case err := <-ended:
			t.Fatalf("got a rewrite that ended with %v, want it to wait", err)
		default:
			l.exec("SELECT pg_stat_clear_snapshot()")
		}
	}
	l.exec("COMMIT")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := l.text("SELECT block FROM privacy_ledgers WHERE chain = 1"); got != "null" {
		t.Errorf("got a ledger up to block %s, want an empty one", got)
	}
}
