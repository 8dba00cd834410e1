package main

import (
	"fmt"
	"slices"
	"testing"

	"astrolabe/failpoint"
)

// queued creates a job that is ready to be built.
func (v *verifier) queued(key string) {
	v.Helper()
	path, body := v.source(key, true)
	v.succeeds(v.intake("", "create", key, body), key, "0, 0 pieces, 0 validations, state 0")
	v.succeeds(v.intake("", "upload", v.id(key), path), key, "01, 2 pieces, 1 validations, state 1")
	point := failpoint.VerifyChanged + "queued"
	v.dies(v.intake(point, "validate"), point, key, "012, 2 pieces, 1 validations, state 2")
}

// attempt expects the last attempt at building a job, and how many candidates are
// stored. Then a minute passes.
func (v *verifier) attempt(key string, attempt, candidates int) {
	v.Helper()
	var got string
	v.ask(v.o.url, "SELECT coalesce((SELECT attempt FROM verification_builds WHERE job = '"+v.id(key)+"'), 0) || ' ' || (SELECT count(*) FROM verification_candidates)", &got)
	if want := fmt.Sprintf("%d %d", attempt, candidates); got != want {
		v.Errorf("got attempt and candidates %s, want %s", got, want)
	}
	if attempt == 0 {
		return
	}
	// Of another builder, because the server may still execute a renewal of the killed one.
	v.o.strikes("UPDATE verification_builds SET builder = 'one', attempt = 1, seen_at = now() - interval '1 minute'")
}

// TestKillOfABuilderLosesAndDoublesNothing kills a builder at every failpoint. The
// next one takes the job over, and the result is stored once.
func TestKillOfABuilderLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	v.queued("good")
	const building = "0123, 2 pieces, 1 validations, state 3"
	for _, c := range []struct {
		point      string
		stored     string
		attempt    int
		candidates int
	}{
		{failpoint.VerifyChanging + "building", "012, 2 pieces, 1 validations, state 2", 0, 0},
		{failpoint.VerifyChanged + "building", building, 1, 0},
		{failpoint.VerifyChanging + failpoint.VerifyLease, building, 1, 0},
		{failpoint.VerifyChanged + failpoint.VerifyLease, building, 2, 0},
		{failpoint.VerifyBuilt, building, 2, 0},
		{failpoint.VerifyChanging + "comparing", building, 2, 0},
		{failpoint.VerifyChanged + "comparing", "01234, 2 pieces, 1 validations, state 4", 2, 1},
	} {
		v.dies(v.intake(c.point, "build", "deliver"), c.point, "good", c.stored)
		v.attempt("good", c.attempt, c.candidates)
	}
	v.succeeds(v.intake("", "cancel", v.id("good")), "good", "012348, 2 pieces, 1 validations, state 8")
	v.attempt("good", 1, 0)

	v.queued("bad")
	v.dies(v.intake(failpoint.VerifyChanging+"failed", "build", "refuse"), failpoint.VerifyChanging+"failed", "bad", building)
	v.attempt("bad", 1, 0)
	v.dies(v.intake(failpoint.VerifyChanged+"failed", "build", "refuse"), failpoint.VerifyChanged+"failed", "bad", "01237, 2 pieces, 1 validations, state 7")
	v.attempt("bad", 2, 0)

	for _, point := range failpoint.Building {
		if !slices.Contains(v.killed, point) {
			t.Errorf("got no kill at %s, want one at every point", point)
		}
	}
}
