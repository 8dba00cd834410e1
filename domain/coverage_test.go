package domain

import "testing"

func TestUntypedTransfersHideOnlyReasonsThatPass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ reason, want string }{
		{"", ReasonUntypedTransfers},
		{ReasonIndexBehind, ReasonUntypedTransfers},
		{ReasonIndexStart, ReasonIndexStart},
		{ReasonNothingIndexed, ReasonNothingIndexed},
	} {
		status := CoveragePartial
		if c.reason == "" {
			status = CoverageExact
		}
		held := Coverage{Status: status, ReasonCode: c.reason}
		if got := held.Untyped(true); got.ReasonCode != c.want || got.Status != CoveragePartial {
			t.Errorf("%q with evidence: got %+v, want partial with %q", c.reason, got, c.want)
		}
		if got := held.Untyped(false); got != held {
			t.Errorf("%q without evidence: got %+v, want no change", c.reason, got)
		}
	}
}
