package privacy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	domainprivacy "astrolabe/domain/privacy"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/privacy"
	"astrolabe/repo/repotest"
)

// eventful is the template of repotest.Followed whose blocks are 17 minutes apart
// and have events of two pools from block 3 on: deposits, withdrawals, viewing
// keys, settings of fees, some of them malformed; and transfers that pay fees.
func eventful(ctx context.Context, url string) error {
	if err := repotest.Followed(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range []string{
		`DELETE FROM privacy_events`,
		`UPDATE blocks SET timestamp = 1700000000 + block * 1020`,
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1000000, 1000050) n`,
		fmt.Sprintf(`INSERT INTO addresses (chain, id, felt) SELECT 1, 1000060, decode('%x', 'hex') ON CONFLICT DO NOTHING`, domainprivacy.STRK[:]),
		fmt.Sprintf(`INSERT INTO deriver_versions (chain, fact, version) VALUES (1, 'privacy_events', %d) ON CONFLICT (chain, fact) DO UPDATE SET version = excluded.version`, facts.Versions["privacy_events"]),
		// Every block has a transaction with six events: the variant depends on the number of the event.
		`INSERT INTO privacy_events (chain, block, tx, log, variant, reading, pool, party, token, amount)
			SELECT 1, b, 20000, l + 1, v, CASE WHEN bad THEN 1 ELSE 0 END, 1000000 + b % 2,
				CASE WHEN v = 1 THEN 1000010 + (b + l) % 7 WHEN v = 12 THEN 1000020 END,
				CASE WHEN v IN (2, 3, 5) AND NOT (bad AND l % 2 = 0) THEN 1000030 + (b * 7 + l) % 3 END,
				CASE WHEN bad THEN NULL WHEN v IN (2, 3, 5) THEN 340282366920938463463374607431768211455 - b * l WHEN v = 11 THEN 6 END
			FROM (SELECT b, l, CASE WHEN b < 5 THEN CASE l % 3 WHEN 0 THEN 12 WHEN 1 THEN 11 ELSE 1 END ELSE (b * 5 + l * 3) % 11 END AS v, b >= 5 AND (b + l) % 9 = 0 AS bad
				FROM generate_series(3, 60) b CROSS JOIN generate_series(0, 5) l) x`,
		fmt.Sprintf(`INSERT INTO transfers (block, tx, log, idx, standard, token, sender, receiver, chain, amount)
			SELECT b, 20000, 0, 0, 1, (SELECT id FROM addresses WHERE chain = 1 AND felt = decode('%x', 'hex')), 1000010, 1000020 + b %% 2, 1, 6 + b %% 3 / 2 FROM generate_series(5, 60) b`, domainprivacy.STRK[:]),
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// ledger is a database of eventful.
type ledger struct {
	*testing.T
	db   *repo.DB
	conn *pgx.Conn
	now  time.Time
}

func newLedger(t *testing.T, template pgtest.Template) *ledger {
	t.Helper()
	db, conn := repotest.Connect(t, template)
	return &ledger{t, db, conn, time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)}
}

// extend takes one step.
func (l *ledger) extend(about int) domainprivacy.LedgerProgress {
	l.Helper()
	done, err := privacy.NewLedgers(l.db).Extend(l.Context(), domain.Mainnet, l.now, about)
	if err != nil {
		l.Fatal(err)
	}
	return done
}

// extendAll takes steps until nothing is left.
func (l *ledger) extendAll(about int) (steps int) {
	l.Helper()
	for done := l.extend(about); done.Advanced; done = l.extend(about) {
		steps++
		if !done.More {
			break
		}
	}
	return steps
}

func (l *ledger) exec(sql string) {
	l.Helper()
	if _, err := l.conn.Exec(l.Context(), sql); err != nil {
		l.Fatalf("%s: %v", sql, err)
	}
}

// text returns the only value of a query as text.
func (l *ledger) text(sql string) (text string) {
	l.Helper()
	if err := l.conn.QueryRow(l.Context(), "SELECT coalesce(("+sql+")::text, 'null')").Scan(&text); err != nil {
		l.Fatalf("%s: %v", sql, err)
	}
	return text
}

// rows returns all rows of the ledger, without when they were made.
func (l *ledger) rows() string {
	l.Helper()
	var all strings.Builder
	for _, table := range []string{
		"ledgers", "counts", "wallets", "assets", "points", "point_assets", "buckets", "bucket_flows", "bucket_fees",
	} {
		text := l.text(fmt.Sprintf(`SELECT string_agg(r, E'\n' ORDER BY r) FROM (
			SELECT (to_jsonb(t) - 'materialized_at' - 'checked_at')::text AS r FROM privacy_%s t WHERE chain = 1) x`, table))
		fmt.Fprintf(&all, "%s:\n%s\n", table, text)
	}
	return all.String()
}

func TestTheLedgerIsTheSameInStepsOfAnySize(t *testing.T) {
	t.Parallel()
	whole := newLedger(t, eventful)
	if steps := whole.extendAll(1_000_000); steps != 1 {
		t.Errorf("got %d steps, want 1", steps)
	}
	want := whole.rows()
	for _, about := range []int{1, 20} {
		l := newLedger(t, eventful)
		if steps := l.extendAll(about); steps < 5 {
			t.Errorf("got %d steps of %d events, want at least 5", steps, about)
		}
		if diff := cmp.Diff(want, l.rows()); diff != "" {
			t.Errorf("in steps of %d events the rows differ (-whole +steps):\n%s", about, diff)
		}
	}
}

// TestTheLedgerEqualsSumsOverFinalizedEvents computes its numbers in SQL.
func TestTheLedgerEqualsSumsOverFinalizedEvents(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	l.extendAll(50)
	final := fmt.Sprintf("block <= %d", repotest.FollowedFinalized)
	for _, c := range []struct{ what, got, want string }{
		{"block", "SELECT block FROM privacy_ledgers WHERE chain = 1", fmt.Sprintf("SELECT %d", repotest.FollowedFinalized)},
		{"transactions", "SELECT transactions FROM privacy_ledgers WHERE chain = 1", "SELECT count(DISTINCT (block, tx)) FROM privacy_events WHERE " + final},
		{"wallets", "SELECT wallets FROM privacy_ledgers WHERE chain = 1", "SELECT count(DISTINCT party) FROM privacy_events WHERE variant = 1 AND reading = 0 AND " + final},
		{"missing", "SELECT missing FROM privacy_ledgers WHERE chain = 1", "SELECT count(*) FROM privacy_events WHERE variant IN (2, 3, 5) AND amount IS NULL AND " + final},
		{"missing of known tokens", "SELECT sum(missing) FROM privacy_assets", "SELECT count(*) FROM privacy_events WHERE variant IN (2, 3, 5) AND amount IS NULL AND token IS NOT NULL AND " + final},
		{"events", "SELECT sum(events) FROM privacy_counts", "SELECT count(*) FROM privacy_events WHERE " + final},
		{"variants", "SELECT count(*) FROM privacy_counts", "SELECT count(DISTINCT (pool, variant)) FROM privacy_events WHERE " + final},
		{"deposits", "SELECT string_agg(token || ' ' || pool || ' ' || deposited, ',' ORDER BY token, pool) FROM privacy_assets WHERE deposited > 0",
			"SELECT string_agg(token || ' ' || pool || ' ' || n, ',' ORDER BY token, pool) FROM (SELECT token, pool, sum(amount) AS n FROM privacy_events WHERE variant IN (2, 5) AND amount IS NOT NULL AND " + final + " GROUP BY token, pool) x"},
		{"withdrawals", "SELECT sum(withdrawn) || ' ' || sum(withdrawals) FROM privacy_assets", "SELECT sum(amount) || ' ' || count(token) FROM privacy_events WHERE variant = 3 AND " + final},
		{"newest event", "SELECT event_block || ':' || event_tx || ':' || event_log FROM privacy_ledgers WHERE chain = 1",
			"SELECT block || ':' || tx || ':' || log FROM privacy_events WHERE " + final + " ORDER BY block DESC, tx DESC, log DESC LIMIT 1"},
		{"newest flow", "SELECT flow_block || ':' || flow_tx || ':' || flow_log FROM privacy_ledgers WHERE chain = 1",
			"SELECT block || ':' || tx || ':' || log FROM privacy_events WHERE variant IN (2, 3, 5) AND " + final + " ORDER BY block DESC, tx DESC, log DESC LIMIT 1"},
		{"points", "SELECT string_agg((hour / 3600)::text, ',' ORDER BY hour) FROM privacy_points",
			fmt.Sprintf("SELECT string_agg(h::text, ',' ORDER BY h) FROM generate_series((1700000000 + 3 * 1020) / 3600, (1700000000 + %d * 1020) / 3600 - 1) h", repotest.FollowedFinalized)},
		{"blocks of points", "SELECT string_agg(block::text, ',' ORDER BY hour) FROM privacy_points",
			"SELECT string_agg((SELECT max(block) FROM blocks WHERE chain = 1 AND timestamp < hour + 3600)::text, ',' ORDER BY hour) FROM privacy_points"},
		{"fees", "SELECT sum(amount) || ' ' || sum(transfers) FROM privacy_bucket_fees WHERE width = 1", "SELECT fees || ' ' || fees::bigint / 6 FROM privacy_ledgers WHERE chain = 1"},
	} {
		if got, want := l.text(c.got), l.text(c.want); got != want || got == "null" {
			t.Errorf("%s: got %s, want %s", c.what, got, want)
		}
	}
	if got := l.text("SELECT fees > 0 FROM privacy_ledgers WHERE chain = 1"); got != "true" {
		t.Errorf("got fees above zero: %s, want true", got)
	}
}

func TestTheLedgerStopsBeforeAnUnreadEvent(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	l.exec("UPDATE privacy_events SET reading = 2 WHERE block = 20 AND log = 3")
	done := l.extend(1_000_000)
	if done.Through != 19 || done.More {
		t.Fatalf("got %+v, want an end at block 19", done)
	}
	if done := l.extend(1_000_000); done.Advanced {
		t.Errorf("got %+v, want no progress", done)
	}
	if got := l.text("SELECT target FROM privacy_ledgers WHERE chain = 1"); got != fmt.Sprint(repotest.FollowedFinalized) {
		t.Errorf("got the target %s, want %d", got, repotest.FollowedFinalized)
	}
	l.exec("UPDATE privacy_events SET reading = 0 WHERE block = 20 AND log = 3")
	if done := l.extend(1_000_000); done.Through != repotest.FollowedFinalized || done.More {
		t.Errorf("got %+v, want an end at block %d", done, repotest.FollowedFinalized)
	}
}

func TestHoursBeforeAnUnreadEventHavePoints(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	l.exec("UPDATE privacy_events SET reading = 2 WHERE block = 20 AND log = 3")
	l.exec("UPDATE blocks SET timestamp = timestamp + 7200 WHERE chain = 1 AND block >= 20")
	l.exec("UPDATE index_checkpoints SET finalized_block = 19 WHERE chain = 1")
	l.extend(1_000_000)
	points := "SELECT coalesce(max(block), 0)::text || ' ' || count(*) FROM privacy_points WHERE block = 19"
	if got := l.text(points); got != "0 0" {
		t.Errorf("before a block of a later hour is finalized: got the newest block and points %s, want 0 0", got)
	}
	l.exec("UPDATE index_checkpoints SET finalized_block = 20 WHERE chain = 1")
	l.extend(1_000_000)
	if got := l.text(points); got != "19 2" {
		t.Errorf("got the newest block and points %s, want two hours that end with block 19", got)
	}
	if done := l.extend(1_000_000); done.Advanced {
		t.Errorf("got %+v, want no progress", done)
	}
	if found := l.check(); len(found) > 0 {
		t.Errorf("got the findings %v, want none", found)
	}
}

func TestTheLedgerWaitsForCurrentVersions(t *testing.T) {
	t.Parallel()
	for _, fact := range []string{"privacy_events", "transfers"} {
		l := newLedger(t, eventful)
		l.exec("UPDATE deriver_versions SET version = version + 1 WHERE chain = 1 AND fact = '" + fact + "'")
		if done := l.extend(10); done.Advanced {
			t.Errorf("%s: got %+v, want no progress", fact, done)
		}
	}
}

func TestALedgerWithoutEventsFollowsTheFinalizedBlocks(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	l.exec("DELETE FROM privacy_events")
	if done := l.extend(10); done.Through != repotest.FollowedFinalized || done.More {
		t.Errorf("got %+v, want an end at block %d", done, repotest.FollowedFinalized)
	}
	if n := l.text("SELECT count(*) FROM privacy_points"); n != "0" {
		t.Errorf("got %s points, want none", n)
	}
}

// TestAnUnchangedLedgerIsCheckedEveryTenSeconds keeps the time of the last check.
func TestAnUnchangedLedgerIsCheckedEveryTenSeconds(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	l.extendAll(1_000_000)
	first := l.now
	for _, c := range []struct {
		after time.Duration
		want  time.Time
	}{{9 * time.Second, first}, {10 * time.Second, first.Add(10 * time.Second)}} {
		l.now = first.Add(c.after)
		l.extend(10)
		var checked, changed time.Time
		if err := l.conn.QueryRow(t.Context(), "SELECT checked_at, materialized_at FROM privacy_ledgers WHERE chain = 1").Scan(&checked, &changed); err != nil {
			t.Fatal(err)
		}
		if !checked.Equal(c.want) || !changed.Equal(first) {
			t.Errorf("after %s: got a check at %s and a change at %s, want %s and %s", c.after, checked, changed, c.want, first)
		}
	}
}

// TestPointsOfALaterStepAreOfALaterSecond lets clients ask for newer points by a
// time in seconds.
func TestPointsOfALaterStepAreOfALaterSecond(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	published := map[string]bool{} // by how many points there were
	for more := true; more; more = l.extend(30).More {
		if n := l.text("SELECT count(*) FROM privacy_points"); n != "0" {
			published[n] = true
		}
	}
	published[l.text("SELECT count(*) FROM privacy_points")] = true
	if got := l.text("SELECT count(DISTINCT date_trunc('second', materialized_at)) FROM privacy_points"); got != fmt.Sprint(len(published)) || len(published) < 5 {
		t.Errorf("got points of %s seconds in %d steps, want as many, at least 5", got, len(published))
	}
}

func TestASumOfMoreThan256BitsLeavesTheLedgerWhereItIs(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	l.extend(60)
	before := l.rows()
	l.exec("UPDATE privacy_events SET amount = 115792089237316195423570985008687907853269984665640564039457584007913129639935 WHERE block > 30 AND amount IS NOT NULL AND variant IN (2, 3, 5)")
	if done, err := privacy.NewLedgers(l.db).Extend(t.Context(), domain.Mainnet, l.now, 1_000_000); err == nil || done.Advanced {
		t.Errorf("got %+v and %v, want an error", done, err)
	}
	if diff := cmp.Diff(before, l.rows()); diff != "" {
		t.Errorf("the ledger changed (-before +after):\n%s", diff)
	}
}

// TestALedgerWhoseBlocksChangeIsRebuiltTheSame undoes finalized blocks and derives
// transfers again, as only an operator can.
func TestALedgerWhoseBlocksChangeIsRebuiltTheSame(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	l.extendAll(1_000_000)
	want := l.rows()
	l.exec("UPDATE privacy_ledgers SET block = NULL")
	l.extendAll(17)
	if diff := cmp.Diff(want, l.rows()); diff != "" {
		t.Errorf("the rebuilt ledger differs (-before +after):\n%s", diff)
	}
	blocks := repotest.Everyday(t)
	lease, leads, err := index.NewLeases(l.db).TakeLease(t.Context(), domain.Mainnet, "operator", time.Hour)
	if err != nil || !leads {
		t.Fatalf("got leading %v and %v, want the lease", leads, err)
	}
	valid := func() bool { return l.text("SELECT block FROM privacy_ledgers WHERE chain = 1") != "null" }
	to := func(n int) *domain.BlockRef {
		return &domain.BlockRef{Number: uint64(n), Hash: blocks[n].Header.Hash}
	}
	if err := index.NewWriter(l.db).Undo(t.Context(), lease, to(repotest.FollowedFinalized+2)); err != nil || !valid() {
		t.Errorf("after a reorg of the head: got %v and a valid ledger %v, want it valid", err, valid())
	}
	for run, err := range index.NewArchive(l.db).StoredRuns(t.Context(), domain.Mainnet, 30, 31) {
		if err != nil {
			t.Fatal(err)
		}
		if err := index.NewWriter(l.db).Rewrite(t.Context(), lease, run, facts.TableTransfers); err != nil {
			t.Fatal(err)
		}
	}
	if valid() {
		t.Error("after transfers were derived again: got a valid ledger, want none")
	}
	l.extendAll(1_000_000)
	if err := index.NewWriter(l.db).Rollback(t.Context(), lease, to(30)); err != nil || valid() {
		t.Errorf("after a rollback: got %v and a valid ledger %v, want none", err, valid())
	}
}

func TestConcurrentProcessesCountNothingTwice(t *testing.T) {
	t.Parallel()
	l := newLedger(t, eventful)
	ended := make(chan error)
	for range 4 {
		go func() {
			var err error
			for range 20 {
				if _, err = privacy.NewLedgers(l.db).Extend(t.Context(), domain.Mainnet, l.now, 10); err != nil {
					break
				}
			}
			ended <- err
		}()
	}
	for range 4 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	l.extendAll(1_000_000)
	got := l.rows()
	l.exec("UPDATE privacy_ledgers SET block = NULL")
	l.extendAll(1_000_000)
	if diff := cmp.Diff(l.rows(), got); diff != "" {
		t.Errorf("the ledger differs (-alone +concurrent):\n%s", diff)
	}
}
