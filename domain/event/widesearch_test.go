package event_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/event"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/events"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// covered is a service over repotest.Spaced, with a connection beside it.
type covered struct {
	*testing.T
	events *event.Events
	db     *repo.DB
	conn   *pgx.Conn
	all    oracle
}

func newCovered(t *testing.T) covered {
	t.Helper()
	url := pgtest.Database(t, repotest.Spaced)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return covered{t, newEvents(events.NewEvents(db), db), db, conn, newOracle(repotest.SpacedBlocks(repotest.Everyday(t)))}
}

func (w covered) do(sql string) {
	w.Helper()
	if _, err := w.conn.Exec(w.Context(), sql); err != nil {
		w.Fatal(err)
	}
}

func (w covered) search(f event.Filter) (event.Found, error) {
	return w.events.Search(w.Context(), domain.Mainnet, account.Wallet, f, domain.PageRequest{Limit: 10})
}

const (
	newest = 60 * repotest.Spacing
	oldest = 0
)

// transfers returns a wide filter for transfers by the sender of one of them.
func (w covered) transfers(from, to uint64) event.Filter {
	f := event.Filter{From: &from, To: &to}
	f.Topics[0] = []starknet.Felt{repotest.TransferSelector}
	for _, e := range w.all {
		if len(e.keys) == 3 && e.keys[0] == repotest.TransferSelector {
			f.Topics[1] = []starknet.Felt{e.keys[1]}
		}
	}
	return f
}

// TestWideSearchFindsWhatBruteForceFinds compares random searches over wide
// ranges, with few candidates a step and with many.
func TestWideSearchFindsWhatBruteForceFinds(t *testing.T) {
	t.Parallel()
	w := newCovered(t)
	many, few := newEvents(mute{events.NewEvents(w.db)}, w.db), newEvents(mute{events.NewEvents(w.db)}, w.db)
	few.LookAt(6)
	for seed := range 2 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			g := guesses{rand.New(rand.NewPCG(11, uint64(seed))), slices.DeleteFunc(slices.Clone(w.all), func(e emitted) bool {
				return len(e.keys) < 3 || e.keys[0] != repotest.TransferSelector
			})}
			matched := 0
			for range 120 {
				e := g.events[g.IntN(len(g.events))]
				f := event.Filter{From: new(uint64(g.IntN(2000))), To: new(uint64(newest - g.IntN(2000)))}
				f.Topics[0] = []starknet.Felt{e.keys[0]}
				f.Topics[1+g.IntN(2)] = g.anyOf(e.keys[1+g.IntN(2)], keyAt(1+g.IntN(2)))
				if g.IntN(2) == 0 {
					position := 1 + g.IntN(len(e.keys)-1)
					f.Topics[position] = g.anyOf(e.keys[position], keyAt(position))
				}
				if g.IntN(4) == 0 {
					f.Addresses = g.anyOf(e.address, func(o emitted) *starknet.Felt { return &o.address })
				}
				want := w.all.search(f)
				matched += len(want)
				events := many
				if g.IntN(2) == 0 {
					events = few
				}
				requireSame(t, f, walk(t, events, account.Wallet, f, 10+g.IntN(90)), want)
			}
			if matched < 1000 {
				t.Errorf("got %d compared events, want at least 1000", matched)
			}
		})
	}
}

func TestAWideSearchReportsItsCoverage(t *testing.T) {
	t.Parallel()
	w := newCovered(t)
	for to, want := range map[uint64]event.RangeCoverage{
		newest:         {Completed: &event.Interval{From: 7, To: newest}, Complete: true},
		newest - 1:     {Completed: &event.Interval{From: 7, To: newest - 1}, Complete: true},
		newest + 1:     {Completed: &event.Interval{From: 7, To: newest}, Complete: false},
		newest + 1<<40: {Completed: &event.Interval{From: 7, To: newest}, Complete: false},
	} {
		found, err := w.search(w.transfers(7, to))
		if err != nil {
			t.Fatal(err)
		}
		got := found.Range
		if got.Requested != (event.Interval{From: 7, To: to}) || *got.Completed != *want.Completed || got.Complete != want.Complete || got.OpenEnded == want.Complete {
			t.Errorf("to %d: got %+v with %+v completed, want %+v with %+v", to, got, got.Completed, want, want.Completed)
		}
		if d := got.Diagnostics; d.Freshness != event.Current || d.Lag != newest-repotest.SpacedFinalized || d.SourceLow != oldest || d.SourceHigh != newest ||
			d.ContiguousLow != oldest || d.ContiguousHigh != newest || !d.LiveMaintenance {
			t.Errorf("got %+v, want a current and maintained index of blocks %d to %d", d, oldest, newest)
		}
	}
	found, err := w.search(w.transfers(newest+1, newest+20_000))
	if err != nil || found.Range.Completed != nil || found.Range.Complete {
		t.Errorf("future blocks: got %+v and %v, want none completed", found.Range, err)
	}
	w.do("UPDATE event_certificates SET maintained_at = now() - interval '1 hour'")
	if found, err = w.search(w.transfers(0, newest)); err != nil || found.Range.LiveMaintenance {
		t.Errorf("an hour without maintenance: got %+v and %v, want no live maintenance", found.Range, err)
	}
}

func TestAWideSearchWithoutCoverageIsRejected(t *testing.T) {
	t.Parallel()
	w := newCovered(t)
	wide := func(change func(*event.Filter)) event.Filter {
		f := w.transfers(0, newest)
		change(&f)
		return f
	}
	key := []starknet.Felt{starknet.FeltFromUint64(1)}
	for name, test := range map[string]struct {
		f    event.Filter
		want domain.Code
	}{
		"a position that is not declared": {wide(func(f *event.Filter) { f.Topics[1], f.Topics[3] = nil, key }), domain.CodeFullRangeSelectorNotSupported},
		"topic0 alone":                    {wide(func(f *event.Filter) { f.Topics[1] = nil }), domain.CodeFullRangeSelectorNotSupported},
		"an address alone":                {wide(func(f *event.Filter) { f.Topics, f.Addresses = [16][]starknet.Felt{}, key }), domain.CodeFullRangeSelectorNotSupported},
		"a certificate that is building":  {wide(func(f *event.Filter) { f.Topics[0] = []starknet.Felt{repotest.ApprovalSelector} }), domain.CodeCoverageUnavailable},
		"one of two is building":          {wide(func(f *event.Filter) { f.Topics[0] = append(f.Topics[0], repotest.ApprovalSelector) }), domain.CodeCoverageUnavailable},
		"a selector outside the set":      {wide(func(f *event.Filter) { f.Topics[0] = key }), domain.CodeFullRangeSelectorNotSupported},
		"one of two outside the set":      {wide(func(f *event.Filter) { f.Topics[0] = append(f.Topics[0], key...) }), domain.CodeFullRangeSelectorNotSupported},
	} {
		if _, err := w.search(test.f); domain.CodeOf(err) != test.want {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
		_, err := w.events.Search(t.Context(), domain.Mainnet, account.Standard, test.f, domain.PageRequest{Limit: 1})
		if domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%s for an ordinary key: got %v, want %s", name, err, domain.CodeInvalidRequest)
		}
	}
}

func TestAtMostFiveThousandBlocksOnEachSideAreReadDirectly(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sql  string
		fine bool
	}{
		"up to the newest block":   {"UPDATE event_certificates SET through_block = 13000", true},
		"beyond that":              {"UPDATE event_certificates SET through_block = 12999", false},
		"down to the lower bound":  {"UPDATE event_certificates SET from_block = 5000", true},
		"not reaching so far down": {"UPDATE event_certificates SET from_block = 5001", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newCovered(t)
			w.do(test.sql)
			w.do("DELETE FROM event_positions_1 USING event_certificates c WHERE c.id = 1 AND (block < c.from_block OR block > c.through_block)")
			w.do("DELETE FROM event_positions_2 USING event_certificates c WHERE c.id = 2 AND (block < c.from_block OR block > c.through_block)")
			w.do("DELETE FROM event_positions_3 USING event_certificates c WHERE c.id = 3 AND (block < c.from_block OR block > c.through_block)")
			f := w.transfers(0, newest)
			if test.fine {
				requireSame(t, f, walk(t, w.events, account.Wallet, f, 5), w.all.search(f))
				return
			}
			_, err := w.search(f)
			if e, ok := errors.AsType[*domain.Error](err); !ok || e.Code != domain.CodeCoverageUnavailable || e.RetryAfter == 0 {
				t.Errorf("got %v, want %s with a time to retry", err, domain.CodeCoverageUnavailable)
			}
		})
	}
}

func TestCoverageThatIsLostDuringASearchIsUnavailable(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"it has failed":     "UPDATE event_certificates SET status = 'failed'",
		"it is discarded":   "DELETE FROM event_certificates",
		"its rows are gone": "DROP TABLE event_positions_1, event_positions_2, event_positions_3",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newCovered(t)
			known, err := events.NewCertificates(w.db).Certificates(t.Context(), domain.Mainnet)
			if err != nil {
				t.Fatal(err)
			}
			w.do(sql)
			f := w.transfers(0, newest)
			events := event.NewEvents(events.NewEvents(w.db), remembering{events.NewCertificates(w.db), known}, services(w.db), 0)
			_, err = events.Search(t.Context(), domain.Mainnet, account.Wallet, f, domain.PageRequest{Limit: 1000})
			if domain.CodeOf(err) != domain.CodeCoverageUnavailable {
				t.Errorf("got %v, want %s", err, domain.CodeCoverageUnavailable)
			}
		})
	}
}

// remembering is a store whose certificates were read before.
type remembering struct {
	event.CertificateStore
	known []event.Certificate
}

// Certificates implements event.CertificateStore.
func (r remembering) Certificates(context.Context, domain.Chain) ([]event.Certificate, error) {
	return r.known, nil
}
