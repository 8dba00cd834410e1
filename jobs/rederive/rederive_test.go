package rederive

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/privacy"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// indexed opens an indexed database and returns a function that damages it.
func indexed(t *testing.T) (*repo.DB, func(statement string)) {
	t.Helper()
	db, conn := repotest.Connect(t, repotest.Indexed)
	return db, func(statement string) {
		t.Helper()
		tag, err := conn.Exec(t.Context(), statement)
		if err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: got %s and %v, want changed rows", statement, tag, err)
		}
	}
}

func jobOn(db *repo.DB) *Job {
	return &Job{
		Chain: domain.Mainnet, Leases: index.NewLeases(db), Checkpoints: index.NewCheckpoints(db),
		Archive: index.NewArchive(db), Writer: index.NewWriter(db), PoolStore: index.NewPools(db), Holder: "test",
	}
}

func digest(t *testing.T, db *repo.DB) string {
	t.Helper()
	d, err := index.NewArchive(db).Digest(t.Context(), domain.Mainnet)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAFactIsRederivedAsItWas(t *testing.T) {
	t.Parallel()
	for fact, statements := range map[string][]string{
		"transfers": {
			"DELETE FROM transfers", "DELETE FROM transfers_1_45", "DELETE FROM activity WHERE block > 20",
			"DELETE FROM tokens WHERE chain = 1 AND block > 3", "UPDATE tokens SET block = 9, standard = 3 WHERE chain = 1",
		},
		"privacy_events": {
			"DELETE FROM privacy_events WHERE block % 3 = 0", "UPDATE privacy_events SET amount = amount + 1 WHERE amount IS NOT NULL", "UPDATE privacy_events SET reading = 2 WHERE variant = 6",
		},
		"activity":    {"UPDATE activity_1_45 SET items = items + 1", "DELETE FROM activity WHERE block % 3 = 0"},
		"deployments": {"UPDATE deployments SET deployer = NULL, tx = NULL, evidence = 0", "DELETE FROM activity WHERE kinds & 32 <> 0"},
		"tokens":      {"UPDATE tokens SET block = 60 - block % 7"},
		"schemas": {
			"DELETE FROM event_schemas", "UPDATE function_schemas SET name = name || 'x'", "UPDATE classes SET account = NOT account, standard = 3",
		},
	} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			db, strike := indexed(t)
			before := digest(t, db)
			for _, statement := range append(statements, "UPDATE deriver_versions SET version = 0 WHERE fact = '"+fact+"'") {
				strike(statement)
			}
			if digest(t, db) == before {
				t.Fatal("got the same digest after the damage, want another")
			}
			job := jobOn(db)
			result, err := job.Run(t.Context(), fact)
			if err != nil || result.Rewritten == 0 {
				t.Fatalf("got %+v and %v, want rewritten blocks", result, err)
			}
			if after := digest(t, db); after != before {
				t.Errorf("got the digest %s, want %s as before the damage", after, before)
			}
			versions, err := index.NewCheckpoints(db).DeriverVersions(t.Context(), domain.Mainnet)
			if err != nil || versions[fact] != facts.Versions[fact] {
				t.Errorf("got the versions %v and %v, want %d of %s", versions, err, facts.Versions[fact], fact)
			}
			if again, err := job.Run(t.Context(), fact); err != nil || again.Rewritten != 0 {
				t.Errorf("second run: got %+v and %v, want nothing rewritten", again, err)
			}
		})
	}
}

func TestPrivacyPoolsChangeByRederivingTheirEvents(t *testing.T) {
	t.Parallel()
	db, conn := repotest.Connect(t, repotest.Indexed)
	rows := func(pool starknet.Felt) (n int) {
		t.Helper()
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM privacy_events e JOIN addresses a ON a.chain = 1 AND a.id = e.pool WHERE a.felt = $1`, pool[:]).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before, known := digest(t, db), privacy.KnownPools(domain.Mainnet)
	if rows(known[0]) == 0 {
		t.Fatal("got no events of the known pool, want some")
	}
	var other starknet.Felt // another contract with events
	for _, e := range repotest.Everyday(t)[50].Events {
		if e.FromAddress != known[0] {
			other = e.FromAddress
		}
	}
	for _, c := range []struct {
		name   string
		pools  []starknet.Felt
		stored []starknet.Felt
	}{
		{"another pool", []starknet.Felt{other}, []starknet.Felt{other}},
		{"no flag", nil, []starknet.Felt{other}},
		{"the known pool", known, known},
	} {
		job := jobOn(db)
		job.Pools = c.pools
		if _, err := job.Run(t.Context(), "privacy_events"); err != nil {
			t.Fatal(err)
		}
		stored, err := index.NewArchive(db).PrivacyPools(t.Context(), domain.Mainnet)
		if diff := cmp.Diff(c.stored, stored); err != nil || diff != "" {
			t.Errorf("%s: got %v (-want +got):\n%s", c.name, err, diff)
		}
		if ofOther, ofKnown := rows(other), rows(known[0]); (ofOther > 0) != (stored[0] == other) || (ofKnown > 0) != (stored[0] == known[0]) {
			t.Errorf("%s: got %d events of the other contract and %d of the known pool, want only those of %s", c.name, ofOther, ofKnown, stored)
		}
		versions, err := index.NewCheckpoints(db).DeriverVersions(t.Context(), domain.Mainnet)
		if err != nil || versions["privacy_events"] != facts.PrivacyEventsVersion {
			t.Errorf("%s: got version %d and %v, want %d", c.name, versions["privacy_events"], err, facts.PrivacyEventsVersion)
		}
	}
	if after := digest(t, db); after != before {
		t.Errorf("got the digest %s, want %s as before", after, before)
	}
}

func TestAnIndexOfAnEarlierReleaseGetsTheKnownPools(t *testing.T) {
	t.Parallel()
	db, strike := indexed(t)
	before := digest(t, db)
	strike("DELETE FROM privacy_pools")
	strike("DELETE FROM privacy_events")
	strike("DELETE FROM deriver_versions WHERE fact = 'privacy_events'")
	if _, err := jobOn(db).Run(t.Context(), "privacy_events"); err != nil {
		t.Fatal(err)
	}
	if after := digest(t, db); after != before {
		t.Errorf("got the digest %s, want %s", after, before)
	}
}

func TestATokenKeepsItsMetadata(t *testing.T) {
	t.Parallel()
	db, strike := indexed(t)
	strike("UPDATE tokens SET name = 'Kept', standard = 3 WHERE chain = 1")
	if _, err := jobOn(db).Run(t.Context(), "tokens"); err != nil {
		t.Fatal(err)
	}
	strike("DELETE FROM tokens WHERE name = 'Kept' AND standard < 3")
}

func TestLocatorsAreRederived(t *testing.T) {
	t.Parallel()
	db, strike := indexed(t)
	strike("DELETE FROM locators WHERE block < 30")
	strike("UPDATE locators SET block = 3 WHERE kind = 1")
	if _, err := jobOn(db).Run(t.Context(), "locators"); err != nil {
		t.Fatal(err)
	}
	for _, check := range index.NewInspector(db).Checks(domain.Mainnet, 0, 60) {
		if findings, err := check.Run(t.Context(), 1); err != nil || check.Name == "locators" && len(findings) > 0 {
			t.Errorf("%s: got %v and %v, want no findings", check.Name, findings, err)
		}
	}
}

func TestNothingIsRederivedWhileAnIndexerLeads(t *testing.T) {
	t.Parallel()
	db, _ := indexed(t)
	if _, leads, err := index.NewLeases(db).TakeLease(t.Context(), domain.Mainnet, "indexer", time.Minute); err != nil || !leads {
		t.Fatalf("got the lease %t, %v, want it", leads, err)
	}
	_, err := jobOn(db).Run(t.Context(), "transfers")
	if !errors.Is(err, indexing.ErrLed) || !strings.HasSuffix(err.Error(), "stop it, then run this command again") {
		t.Errorf("got %v, want %v with the advice to stop the indexer", err, indexing.ErrLed)
	}
}

func TestNothingIsRederivedFromAlteredRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ statement, fact, repair string }{
		"an event, for transfers":         {"UPDATE events SET payload = payload || payload WHERE block = 12 AND tx = 0 AND log = 0", "transfers", "astrolabe repair --chain SN_MAIN --block 12"},
		"an event of a loading partition": {"UPDATE events_1_45 SET log = 900 WHERE block = 50 AND tx = 0 AND log = 0", "activity", "astrolabe repair --chain SN_MAIN --block 50"},
		"a transaction, for locators":     {"UPDATE transactions SET hash = set_byte(hash, 31, 255 - get_byte(hash, 31)) WHERE block = 31 AND tx = 0", "locators", "astrolabe repair --chain SN_MAIN --block 31"},
		"an ABI, for schemas":             {"UPDATE classes SET abi = abi || ' ' WHERE chain = 1 AND id = 1", "schemas", "astrolabe repair --chain SN_MAIN --class 0x"},
		"an ABI, for transfers":           {"UPDATE classes SET abi = '[]' WHERE chain = 1 AND id = 1", "transfers", "astrolabe repair --chain SN_MAIN --class 0x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, strike := indexed(t)
			strike(c.statement)
			before := digest(t, db)
			result, err := jobOn(db).Run(t.Context(), c.fact)
			if !errors.Is(err, indexing.ErrAltered) || !strings.Contains(err.Error(), c.repair) || result.Rewritten > 0 {
				t.Errorf("got %v after %d blocks, want an error that says %q", err, result.Rewritten, c.repair)
			}
			if after := digest(t, db); after != before {
				t.Errorf("got the digest %s, want %s", after, before)
			}
		})
	}
}
