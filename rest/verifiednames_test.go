package rest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/domain/verify"
	"astrolabe/repo/repotest"
	store "astrolabe/repo/verify"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// TestEventsOfAVerifiedClassNameTheVerifiedABI admits the record of a class after
// every route has answered once, so that the answers are cached.
func TestEventsOfAVerifiedClassNameTheVerifiedABI(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.listen()
	emitter, class, tx := r.decodedEvent(20)
	sources := func(verified bool) {
		t.Helper()
		want := map[event.NameSource]bool{event.FromClassABI: !verified, event.FromVerifiedABI: verified}
		for _, path := range []string{
			"/v1/SN_MAIN/events?address=" + emitter.String(),
			"/v1/SN_MAIN/contract/" + emitter.String() + "/events",
			"/v1/SN_MAIN/tx/" + tx.String(),
		} {
			seen := map[event.NameSource]int{}
			body := read[struct{ Items, Logs []eventRow }](r.service, path)
			for _, row := range append(body.Items, body.Logs...) {
				if row.Address == emitter && row.EventNameSource != nil {
					seen[*row.EventNameSource]++
				}
			}
			for source, shown := range want {
				if (seen[source] > 0) != shown {
					t.Errorf("%s: got the sources %v, want %s among them: %t", path, seen, source, shown)
				}
			}
		}
	}
	sources(false)
	add := func(chain int, class starknet.Felt, receipt int) {
		t.Helper()
		if _, err := r.conn.Exec(t.Context(), `INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest) VALUES ($1, $2, $3, now(), 'key', 'digest')`, chain, class[:], receipt); err != nil {
			t.Fatal(err)
		}
	}
	add(1, starknet.FeltFromUint64(1), 1) // another class
	add(2, class, 2)                      // another chain
	sources(false)
	add(1, class, 3)
	sources(true)
	add(1, class, 4)
	sources(true)
	if _, err := r.conn.Exec(t.Context(), "INSERT INTO verification_keys VALUES ('key', decode(repeat('01', 32), 'hex'), 'demo', 'cairo-wasm', '2.8.2', 'sha256:00', now())"); err != nil {
		t.Fatal(err)
	}
	r.endKey("key", verify.RetireKey) // its receipts stay valid
	sources(true)
	r.endKey("key", verify.RevokeKey)
	sources(false)
}

// endKey retires or revokes a key, as the operator does.
func (r *remembering) endKey(id string, end verify.KeyEnd) {
	r.t.Helper()
	if _, err := verify.NewKeys(store.NewKeys(r.db), time.Now).End(r.t.Context(), id, end); err != nil {
		r.t.Fatal(err)
	}
}

// decodedEvent returns the emitter of an event that its class decodes, with that
// class, in a transaction of a final block or a later one.
func (r *remembering) decodedEvent(from int) (emitter, class, tx starknet.Felt) {
	r.t.Helper()
	for _, block := range repotest.Everyday(r.t)[from:] {
		for i := range block.Transactions {
			tx = block.Transactions[i].Hash
			for _, row := range decodeBody[transactionBody](r.t, r.get("/v1/SN_MAIN/tx/"+tx.String())).Logs {
				if row.EventNameSource == nil || *row.EventNameSource != event.FromClassABI {
					continue
				}
				contract := read[contractBody](r.service, "/v1/SN_MAIN/contract/"+row.Address.String())
				if contract.ClassHash != nil && contract.DeploymentClassHash != nil && *contract.ClassHash == *contract.DeploymentClassHash {
					return row.Address, *contract.ClassHash, tx
				}
			}
		}
	}
	r.t.Fatal("got no event that its class decodes, want one")
	return
}

// TestRecordsOfAPageAreReadAtOnce counts the statements for the classes of a page,
// before and after the cache may keep them: the status of the chain is one.
func TestRecordsOfAPageAreReadAtOnce(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	classes := make([]starknet.Felt, 100)
	for i := range classes {
		classes[i] = starknet.FeltFromUint64(uint64(i + 1))
	}
	for _, step := range []struct {
		name string
		want int
	}{{"not listening", 2}, {"still not listening", 2}, {"listening", 2}, {"cached", 1}} {
		if step.name == "listening" {
			r.listen()
		}
		ctx, count := telemetry.CountStatements(t.Context())
		if _, err := r.services.Verifications.Verified(ctx, domain.Mainnet, classes); err != nil {
			t.Fatal(err)
		}
		if got := count.N(); got != step.want {
			t.Errorf("%s: got %d statements, want %d", step.name, got, step.want)
		}
	}
}

// TestPoolEventsOfAVerifiedClassNameTheVerifiedABI admits records of the classes of
// the privacy pool after the route has answered once.
func TestPoolEventsOfAVerifiedClassNameTheVerifiedABI(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.listen()
	sources := func() map[event.NameSource]int {
		t.Helper()
		seen := map[event.NameSource]int{}
		for _, e := range poolList[poolEvent](r.service, "events?limit=100") {
			if e.EventNameSource != nil {
				seen[*e.EventNameSource]++
			}
		}
		return seen
	}
	before := sources()
	if before[event.FromClassABI] == 0 || before[event.FromVerifiedABI] > 0 {
		t.Fatalf("got the sources %v before a record, want %s only", before, event.FromClassABI)
	}
	if _, err := r.conn.Exec(t.Context(), `INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest)
		SELECT chain, hash, id, now(), 'key', 'digest' FROM classes`); err != nil {
		t.Fatal(err)
	}
	want := map[event.NameSource]int{event.FromVerifiedABI: before[event.FromClassABI] + before[event.FromImplementationABI]}
	if diff := cmp.Diff(want, sources()); diff != "" {
		t.Errorf("got other sources with records of all classes (-want +got):\n%s", diff)
	}
}
