package materialise

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/events"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// world is an index of the first 40 blocks of Everyday, of which those up to 30
// are finalized, and a second connection.
type world struct {
	*testing.T
	db     *repo.DB
	conn   *pgx.Conn
	index  *repotest.Index
	within indexing.Range
	blocks []facts.Block
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, conn := repotest.Connect(t, repotest.Migrated)
	w := &world{T: t, db: db, conn: conn, blocks: repotest.Everyday(t), index: repotest.NewIndex(t.Context(), db, 0, 10)}
	w.index.Finalized = new(uint64(30))
	w.within = w.index.Open(0, 1000, indexing.RangeReady)
	w.store(0, 40)
	return w
}

// store commits blocks.
func (w *world) store(from, to int) {
	w.Helper()
	w.index.Commit(w.within, w.blocks[from:to])
	if err := w.index.Err(); err != nil {
		w.Fatal(err)
	}
}

var declared = []event.SelectorPosition{
	{Selector: starknet.Selector("Approval"), Position: 1},
	{Selector: starknet.Selector("Transfer"), Position: 1},
	{Selector: starknet.Selector("Transfer"), Position: 2},
	{Selector: starknet.Selector("NeverEmitted"), Position: 15},
}

// extend runs the job until a certificate is ready.
func (w *world) extend(positions ...event.SelectorPosition) {
	w.Helper()
	job := &Extend{Chains: domain.Chains, Declared: positions, Store: events.NewCertificates(w.db), Logger: slog.New(slog.DiscardHandler)}
	for range 2 {
		if err := job.Run(w.Context(), time.Now()); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) verify() {
	w.Helper()
	job := &Verify{Chains: domain.Chains, Store: events.NewCertificates(w.db), Logger: slog.New(slog.DiscardHandler)}
	if err := job.Run(w.Context(), time.Now()); err != nil {
		w.Fatal(err)
	}
}

func (w *world) do(sql string, arguments ...any) {
	w.Helper()
	if _, err := w.conn.Exec(w.Context(), sql, arguments...); err != nil {
		w.Fatal(err)
	}
}

// certificates returns the certificates by selector and position.
func (w *world) certificates() map[event.SelectorPosition]event.Certificate {
	w.Helper()
	list, err := events.NewCertificates(w.db).Certificates(w.Context(), domain.Mainnet)
	if err != nil {
		w.Fatal(err)
	}
	found := map[event.SelectorPosition]event.Certificate{}
	for _, cert := range list {
		found[cert.SelectorPosition] = cert
	}
	return found
}

// requireRows compares a certificate's rows with the chain's events up to a
// block.
func (w *world) requireRows(at event.SelectorPosition, through uint64) {
	w.Helper()
	cert, ok := w.certificates()[at]
	if !ok || cert.Status != event.Ready || cert.From != 0 || cert.Through == nil || *cert.Through != through || cert.VerifiedAt == nil || !cert.Maintained {
		w.Fatalf("%v: got %+v, want a maintained certificate, %s and verified from block 0 to %d", at, cert, event.Ready, through)
	}
	var want []string
	for i := range w.blocks[:through+1] {
		for _, e := range w.blocks[i].Events {
			if len(e.Keys) > at.Position && e.Keys[0] == at.Selector {
				want = append(want, fmt.Sprintf("%x:%d:%d:%d", e.Keys[at.Position][:], i, e.TxIndex, e.LogIndex))
			}
		}
	}
	rows, err := w.conn.Query(w.Context(), fmt.Sprintf("SELECT encode(value, 'hex') || ':' || block || ':' || tx || ':' || log FROM event_positions_%d", cert.ID))
	if err != nil {
		w.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.Errorf("%v has %d rows, want %d", at, len(got), len(want))
	}
	var counted int
	if err := w.conn.QueryRow(w.Context(), "SELECT rows FROM event_certificates WHERE id = $1", cert.ID).Scan(&counted); err != nil || counted != len(want) {
		w.Errorf("got %d rows and %v, want %d", counted, err, len(want))
	}
}

func TestCertificatesHoldTheKeysOfFinalizedBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extend(declared...)
	for _, at := range declared {
		w.requireRows(at, 30)
	}
}

func TestCertificatesGrowWithTheFinalizedTier(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extend(declared...)
	w.index.Finalized = new(uint64(45))
	w.store(40, 55)
	w.extend(declared...)
	for _, at := range declared {
		w.requireRows(at, 45)
	}
	w.verify()
	w.requireRows(declared[1], 45)
}

// TestAnAddedMissingOrChangedRowFailsTheCertificate plants each fault that
// verification must find.
func TestAnAddedMissingOrChangedRowFailsTheCertificate(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"one row is deleted": "DELETE FROM %[1]s WHERE ctid = (SELECT min(ctid) FROM %[1]s)",
		"one row is added":   "INSERT INTO %[1]s SELECT value, block, tx, log + 1000 FROM %[1]s LIMIT 1",
		"one row is twice":   "INSERT INTO %[1]s SELECT * FROM %[1]s LIMIT 1",
		"one key differs":    "UPDATE %[1]s SET value = decode(repeat('01', 32), 'hex') WHERE ctid = (SELECT min(ctid) FROM %[1]s)",
		"one place differs":  "UPDATE %[1]s SET log = log + 1000 WHERE ctid = (SELECT max(ctid) FROM %[1]s)",
		"an event is gone":   "DELETE FROM events WHERE chain = 1 AND selector = (SELECT id FROM selectors WHERE chain = 1 AND felt = $1) AND keys > 2 AND block = 20",
		"its rows are gone":  "DROP TABLE %[1]s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.extend(declared...)
			at := declared[2]
			cert := w.certificates()[at]
			if name == "an event is gone" {
				w.do(sql, at.Selector[:])
			} else {
				w.do(fmt.Sprintf(sql, fmt.Sprintf("event_positions_%d", cert.ID)))
			}
			w.verify()
			if got := w.certificates()[at]; got.Status != event.Failed {
				t.Fatalf("damaged certificate: got %+v, want it %s", got, event.Failed)
			}
			if other := w.certificates()[declared[0]]; other.Status != event.Ready {
				t.Errorf("other certificate: got %+v, want it %s", other, event.Ready)
			}
		})
	}
}

func TestAFailedCertificateIsRebuiltOnlyOnRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extend(declared...)
	at := declared[1]
	cert := w.certificates()[at]
	w.do(fmt.Sprintf("DELETE FROM event_positions_%[1]d WHERE ctid = (SELECT min(ctid) FROM event_positions_%[1]d)", cert.ID))
	w.verify()
	w.index.Finalized = new(uint64(45))
	w.store(40, 55)
	w.extend(declared...)
	w.verify()
	if got := w.certificates()[at]; got.Status != event.Failed || got.ID != cert.ID || *got.Through != 30 {
		t.Fatalf("got %+v, want the certificate %d, %s through block 30", got, cert.ID, event.Failed)
	}
	if found, err := events.NewCertificates(w.db).DiscardCertificate(t.Context(), domain.Mainnet, at); err != nil || !found {
		t.Fatalf("got found %v and %v, want the certificate discarded", found, err)
	}
	w.extend(declared...)
	w.requireRows(at, 45)
	w.requireTables(len(declared))
}

// requireTables requires this many tables of rows for SN_MAIN and as many for
// SN_SEPOLIA, which has no blocks.
func (w *world) requireTables(want int) {
	w.Helper()
	var got int
	if err := w.conn.QueryRow(w.Context(), "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'event\\_positions\\_%'").Scan(&got); err != nil || got != 2*want {
		w.Errorf("there are %d tables of positions, want %d (%v)", got, 2*want, err)
	}
}

func TestUndeclaredCertificatesAreDiscarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extend(declared...)
	w.extend(declared[1])
	if got := w.certificates(); len(got) != 1 {
		t.Errorf("got %v, want 1 certificate", got)
	}
	w.requireRows(declared[1], 30)
	w.requireTables(1)
	w.extend()
	if got := w.certificates(); len(got) != 0 {
		t.Errorf("got %v, want no certificates", got)
	}
}

func TestAReorgOfTheHeadTierKeepsCertificates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extend(declared...)
	w.index.Undo(&w.blocks[30].Header)
	if err := w.index.Err(); err != nil {
		t.Fatal(err)
	}
	w.requireRows(declared[1], 30)
	w.store(31, 50)
	w.extend(declared...)
	w.verify()
	w.requireRows(declared[1], 30)
}

func TestARollbackBelowTheFinalizedTierDiscardsCertificates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extend(declared...)
	w.index.Release()
	rollback := func(to *facts.Header) {
		t.Helper()
		err := indexing.Hold(t.Context(), index.NewLeases(w.db), domain.Mainnet, "operator", nil, func(_ context.Context, lease indexing.Lease) error {
			var at *domain.BlockRef
			if to != nil {
				at = &domain.BlockRef{Number: to.Number, Hash: to.Hash}
			}
			return index.NewWriter(w.db).Rollback(t.Context(), lease, at)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rollback(&w.blocks[29].Header)
	if got := w.certificates(); len(got) != 0 {
		t.Fatalf("rollback to block 29: got %v, want no certificates", got)
	}
	w.extend(declared...)
	for _, at := range declared {
		w.requireRows(at, 29)
	}
	rollback(nil)
	if got := w.certificates(); len(got) != 0 {
		t.Errorf("rollback of all blocks: got %v, want no certificates", got)
	}
}

func TestConcurrentWorkersExtendOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			job := &Extend{Chains: []domain.Chain{domain.Mainnet}, Declared: declared, Store: events.NewCertificates(w.db), Logger: slog.New(slog.DiscardHandler)}
			for range 3 {
				if err := job.Run(t.Context(), time.Now()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for _, at := range declared {
		w.requireRows(at, 30)
	}
}
