package main

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/failpoint"
)

// TestKillAtAnyPointOfARederivationLeavesAConsistentIndex shows that an interrupted
// command can be repeated.
func TestKillAtAnyPointOfARederivationLeavesAConsistentIndex(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ damage, fact string }{
		failpoint.RewriteRows:     {"DELETE FROM transfers WHERE block > 30", "transfers"},
		failpoint.RewriteSchemas:  {"DELETE FROM event_schemas", "schemas"},
		failpoint.RewriteLocators: {"DELETE FROM locators WHERE block > 30", "locators"},
		failpoint.RewriteVersions: {"DELETE FROM activity WHERE block > 30", "activity"},
	}
	for _, point := range failpoint.Rederiving {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			o := newOperator(t)
			digest := o.types(exitOK, "digest --tables")
			o.strikes(cases[point].damage)
			dying := start(t, []string{"ASTROLABE_DATABASE_URL=" + o.url, "ASTROLABE_FAILPOINT=" + point}, "rederive", cases[point].fact)
			dying.wait(t)
			if !dying.killed() {
				t.Fatalf("got a command that was not killed at %s, want it killed:\n%s", point, dying.text())
			}
			o.strikes("UPDATE index_leases SET expires_at = now()") // as if time had passed
			o.types(exitOK, "rederive "+cases[point].fact)
			o.types(exitOK, "fsck")
			if again := o.types(exitOK, "digest --tables"); again != digest {
				t.Errorf("got the digest\n%swant\n%s", again, digest)
			}
		})
	}
}

// TestAKillWhileThePrivacyPoolsChangeIsNoticed shows that an index whose events
// are of the former pools does not pass for one of the new pools.
func TestAKillWhileThePrivacyPoolsChangeIsNoticed(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	digest := o.types(exitOK, "digest --tables")
	dying := start(t, []string{"ASTROLABE_DATABASE_URL=" + o.url, "ASTROLABE_FAILPOINT=" + failpoint.RewriteRows}, "rederive", "privacy_events", "--privacy-pool", "SN_MAIN=0x123")
	if dying.wait(t); !dying.killed() {
		t.Fatalf("got a command that was not killed, want it killed:\n%s", dying.text())
	}
	o.strikes("UPDATE index_leases SET expires_at = now()") // as if time had passed
	o.expects(o.types(exitFailure, "fsck"), "astrolabe rederive privacy_events --chain SN_MAIN")
	o.types(exitOK, "rederive privacy_events")
	o.types(exitOK, "fsck")
	if o.types(exitOK, "digest --tables") == digest {
		t.Error("got the same digest with another pool, want another")
	}
	o.types(exitOK, "rederive privacy_events --privacy-pool SN_MAIN="+privacy.KnownPools(domain.Mainnet)[0].String())
	o.types(exitOK, "fsck")
	if again := o.types(exitOK, "digest --tables"); again != digest {
		t.Errorf("got the digest\n%swant\n%s", again, digest)
	}
}
