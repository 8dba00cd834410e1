package verify_test

import (
	"cmp"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	store "astrolabe/repo/verify"
)

// refused expects a *verify.Refusal with a code.
func refused(t *testing.T, what string, err error, code string) {
	t.Helper()
	refusal, ok := errors.AsType[*verify.Refusal](err)
	if !ok || refusal.Code != code || !strings.HasSuffix(refusal.Message, ".") {
		t.Errorf("%s: got %v, want a sentence with the code %s", what, err, code)
	}
}

func TestAKeySignsForOneEnvironmentAndToolchainUntilItEnds(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	keys := verify.NewKeys(store.NewKeys(c.db), c.clock.now)
	c.registered(1)
	other := func(seed byte, environment receipt.Environment, digest string) error {
		return verify.NewController(store.NewAdmissions(c.role), signer(seed), environment, verify.Toolchain{Name: keyToolchain.Name, Version: keyToolchain.Version, Digest: digest}, c.clock.now).Check(t.Context())
	}
	refused(t, "another toolchain", other(1, receipt.Demo, "sha256:"+strings.Repeat("0", 64)), "wrong_toolchain")
	c.do("UPDATE index_checkpoints SET genesis = decode('047c3637b57c2b079b93c61539950c17e868a28f46cdef28f88521067f21e943', 'hex')")
	refused(t, "another environment", other(1, receipt.Production, keyToolchain.Digest), "wrong_environment")
	if err := other(1, receipt.Demo, keyToolchain.Digest); err != nil {
		t.Errorf("got %v, want the same key accepted at every start", err)
	}
	c.clock.passes(time.Hour)
	for _, end := range []struct {
		how  verify.KeyEnd
		code string
	}{{verify.RetireKey, "key_expired"}, {verify.RevokeKey, "key_revoked"}} {
		ended, err := keys.End(t.Context(), signer(1).ID, end.how)
		if err != nil {
			t.Fatal(err)
		}
		refused(t, string(end.how), other(1, receipt.Demo, keyToolchain.Digest), end.code)
		c.clock.passes(time.Hour)
		again, err := keys.End(t.Context(), signer(1).ID, end.how)
		if err != nil || !again.NotAfter.Equal(*ended.NotAfter) || (again.RevokedAt == nil) != (ended.RevokedAt == nil) || again.RevokedAt != nil && !again.RevokedAt.Equal(*ended.RevokedAt) {
			t.Errorf("%s: got %v and %v, want the first end to stay: %v", end.how, again, err, ended)
		}
	}
	if _, err := keys.End(t.Context(), "ed25519:00", verify.RevokeKey); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("got %v, want not_found for an unknown key", err)
	}
	c.registered(2) // the rotation: a new key signs, and the trust root has both
	root, err := keys.TrustRoot(t.Context())
	if err != nil || len(root.Keys) != 2 || root.Keys[0].ID != signer(1).ID || root.Keys[0].RevokedAt == nil || root.Keys[1].NotAfter != nil {
		t.Errorf("got %+v and %v, want the ended key and then the new one", root, err)
	}
}

func TestAReceiptIsNeverIssuedAfterItsKeyEnded(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	controller := c.registered(1)
	c.clock.passes(time.Hour)
	c.compares(controller, c.comparing("w", c.document))
	c.clock.passes(-30 * time.Minute) // the clock of the operator's machine is behind
	key, err := verify.NewKeys(store.NewKeys(c.db), c.clock.now).End(t.Context(), signer(1).ID, verify.RetireKey)
	if err != nil || key.NotAfter == nil || key.NotAfter.Before(noon.Add(time.Hour)) {
		t.Fatalf("got %+v and %v, want an end after the last receipt", key, err)
	}
	c.checksReceipts()
}

func TestAProductionKeySignsOnlyForTheRealChain(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	production := verify.NewController(store.NewAdmissions(c.role), signer(9), receipt.Production, keyToolchain, c.clock.now)

	c.do("UPDATE index_checkpoints SET genesis = (SELECT hash FROM blocks WHERE chain = 1 AND block = 0)") // as the indexer of the simulated chain does
	refused(t, "a simulated chain", production.Check(t.Context()), "wrong_environment")
	if n := c.count("verification_keys"); n != 0 {
		t.Errorf("got %d keys in the trust root, want none: a production key must not be listed for a simulated chain", n)
	}
	c.do("UPDATE index_checkpoints SET genesis = NULL")
	refused(t, "an unknown chain", production.Check(t.Context()), verify.ReasonUnprovenChain)
	job := c.comparing("pa", c.document)
	_, err := production.Compare(t.Context(), job)
	refused(t, "a job of an unknown chain", err, verify.ReasonUnprovenChain)
	c.do("UPDATE index_checkpoints SET genesis = (SELECT hash FROM blocks WHERE chain = 1 AND block = 0)")
	_, err = production.Compare(t.Context(), job)
	refused(t, "a job of a simulated chain", err, "wrong_environment")

	c.do("UPDATE index_checkpoints SET genesis = decode('047c3637b57c2b079b93c61539950c17e868a28f46cdef28f88521067f21e943', 'hex')")
	if err := production.Check(t.Context()); err != nil {
		t.Errorf("got %v, want the real chain accepted", err)
	}
	if job := c.compares(production, job); job.State != verify.Succeeded {
		t.Errorf("got %s and %v, want a receipt", job.State, job.Failure)
	}
	c.checksReceipts()
}

// TestAKeyEndsAfterTheAdmissionThatUsesIt stops an admission after it has signed,
// while the operator, whose clock is behind, ends the key.
func TestAKeyEndsAfterTheAdmissionThatUsesIt(t *testing.T) {
	t.Parallel()
	for _, end := range []verify.KeyEnd{verify.RetireKey, verify.RevokeKey} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			c := newControl(t)
			controller := c.registered(1)
			c.clock.passes(time.Hour)
			id := c.comparing("w", c.document)
			c.do(`CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$`)
			c.do("CREATE TRIGGER stop AFTER INSERT ON verification_receipts FOR EACH ROW EXECUTE FUNCTION stop()")
			c.do("SELECT pg_advisory_lock(7)")
			admitted := make(chan error, 1)
			go func() {
				_, err := controller.Compare(t.Context(), id)
				admitted <- err
			}()
			<-c.blocked(1)
			ended := make(chan *receipt.Key, 1)
			go func() {
				key, err := verify.NewKeys(store.NewKeys(c.db), func() time.Time { return noon }).End(t.Context(), signer(1).ID, end)
				if err != nil {
					t.Error(err)
				}
				ended <- key
			}()
			select {
			case <-ended:
				t.Error("got the key ended during an admission, want it to wait")
				ended <- nil
			case <-c.blocked(2):
			}
			c.do("SELECT pg_advisory_unlock(7)")
			if err := <-admitted; err != nil {
				t.Error(err)
			}
			key := <-ended
			if key == nil {
				return
			}
			if at := cmp.Or(key.RevokedAt, key.NotAfter); at == nil || at.Before(noon.Add(time.Hour)) {
				t.Errorf("got the end %v, want none before the receipt of %s", at, noon.Add(time.Hour))
			}
		})
	}
}

// blocked closes the channel when that many transactions wait for an advisory lock.
func (c *control) blocked(transactions int) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := pgx.ConnectConfig(c.Context(), c.conn.Config())
		if err != nil {
			c.Error(err)
			return
		}
		defer func() { _ = conn.Close(c.Context()) }()
		for n := 0; n < transactions; {
			if err := conn.QueryRow(c.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&n); err != nil {
				return // the test has ended
			}
		}
	}()
	return done
}
