package rest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/facts"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/privacy"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	privacyrest "astrolabe/rest/privacy"
)

type (
	tvlBody           = privacyrest.TVLBody
	tvlPage           = privacyrest.TVLPage
	metricBucketsBody = privacyrest.MetricBucketsBody
	metricSeriesBody  = privacyrest.MetricSeriesBody
	analyticsBody     = privacyrest.AnalyticsBody
)

// halfHours is the template of an index whose blocks are half an hour apart,
// with the flow ledger of its pool. Block 0 is at ledgerStart.
func halfHours(ctx context.Context, url string) error {
	if err := repotest.Followed(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, fmt.Sprintf("UPDATE blocks SET timestamp = %d + 1800 * block", ledgerStart.Unix())); err != nil {
		return err
	}
	return extendLedger(ctx, url, ledgerBuilt)
}

var (
	ledgerStart = time.Date(2026, 1, 4, 20, 0, 0, 0, time.UTC) // on a Sunday, so that the blocks are of three days and two weeks
	ledgerBuilt = time.Date(2026, 2, 1, 0, 0, 0, 123456789, time.UTC)
)

// extendLedger lets the job extend the flow ledger as far as possible.
func extendLedger(ctx context.Context, url string, now time.Time) error {
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	for more := true; more; {
		done, err := privacy.NewLedgers(db).Extend(ctx, domain.Mainnet, now, 20)
		if err != nil {
			return err
		}
		more = done.Advanced && done.More
	}
	return nil
}

// ledger is a service over a copy of halfHours, with a clock that the test moves.
type ledger struct {
	*service
	conn *pgx.Conn
	url  string
	time atomic.Pointer[time.Time]
}

func newLedger(t *testing.T) *ledger {
	t.Helper()
	return newLedgerOver(t, halfHours)
}

func newLedgerOver(t *testing.T, template pgtest.Template) *ledger {
	t.Helper()
	l := &ledger{url: pgtest.Database(t, template)}
	db, err := repo.Open(t.Context(), repo.Options{URL: l.url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if l.conn, err = pgx.Connect(t.Context(), l.url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.conn.Close(context.Background()) })
	l.time.Store(new(ledgerBuilt.Add(time.Second)))
	now := func() time.Time { return *l.time.Load() }
	l.service = newServiceOver(t, db, time.Now, func(o *Options) {
		o.Now = now
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Now: now})
	})
	return l
}

// pass moves the clock.
func (l *ledger) pass(d time.Duration) { l.time.Store(new(l.time.Load().Add(d))) }

// do changes the database.
func (l *ledger) do(sql string, arguments ...any) {
	l.t.Helper()
	if _, err := l.conn.Exec(l.t.Context(), sql, arguments...); err != nil {
		l.t.Fatalf("%s: %v", sql, err)
	}
}

// extend lets the job run now.
func (l *ledger) extend() {
	l.t.Helper()
	if err := extendLedger(l.t.Context(), l.url, *l.time.Load()); err != nil {
		l.t.Fatal(err)
	}
}

const tvlPath, analyticsPath = "/v1/SN_MAIN/privacy-pool/tvl", "/v1/SN_MAIN/privacy-pool/analytics"

// tvl reads the snapshot a second later, so that it is generated again.
func (l *ledger) tvl() tvlBody {
	l.t.Helper()
	l.pass(time.Second)
	return decodeBody[tvlBody](l.t, l.get(tvlPath))
}

// poolVersion is the version of the pool's events.
var poolVersion = facts.Versions[string(facts.TablePrivacyEvents)]
