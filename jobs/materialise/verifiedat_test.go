package materialise

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/repo/events"
)

// TestThroughBlockMovesOnlyWithVerifiedAt extends certificates and leaves their
// periodic verification out.
func TestThroughBlockMovesOnlyWithVerifiedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extend(declared...)
	before := w.certificates()
	w.extend(declared...)
	for at, cert := range w.certificates() {
		if !cert.VerifiedAt.Equal(*before[at].VerifiedAt) || *cert.Through != *before[at].Through {
			t.Errorf("%v without new blocks: got %v through %d, want %v through %d", at, cert.VerifiedAt, *cert.Through, before[at].VerifiedAt, *before[at].Through)
		}
	}
	w.index.Finalized = new(uint64(45))
	w.store(40, 55)
	w.extend(declared...)
	for at, cert := range w.certificates() {
		if *cert.Through != 45 || !cert.VerifiedAt.After(*before[at].VerifiedAt) {
			t.Errorf("%v: got %v through %d, want a later time than %v through 45", at, cert.VerifiedAt, *cert.Through, before[at].VerifiedAt)
		}
	}
}

// TestRowsThatDifferFromTheEventsDoNotExtendACertificate lets the database store
// something else than it was given.
func TestRowsThatDifferFromTheEventsDoNotExtendACertificate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extend(declared...)
	at := declared[1]
	cert := w.certificates()[at]
	w.do(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.log := NEW.log + 1; RETURN NEW; END $$`)
	w.do(fmt.Sprintf("CREATE TRIGGER spoil BEFORE INSERT ON event_positions_%d FOR EACH ROW EXECUTE FUNCTION spoil()", cert.ID))
	w.index.Finalized = new(uint64(45))
	w.store(40, 55)
	job := &Extend{Chains: domain.Chains, Declared: declared, Store: events.NewCertificates(w.db), Logger: slog.New(slog.DiscardHandler)}
	if err := job.Run(t.Context(), time.Now()); err == nil {
		t.Error("got no error, want one")
	}
	if got := w.certificates()[at]; *got.Through != 30 || !got.VerifiedAt.Equal(*cert.VerifiedAt) {
		t.Errorf("got %v through %d, want %v through 30", got.VerifiedAt, *got.Through, cert.VerifiedAt)
	}
}
