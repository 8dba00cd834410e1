package token

import (
	"reflect"
	"testing"
	"time"
)

func TestASummaryReportsTheSourceOfItsCounts(t *testing.T) {
	t.Parallel()
	bounds := Counting{Fresh: 100, Most: 10}
	updated := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	sums, above := &Counts{10, 4, 5}, &Counts{3, 1, 2}
	for name, c := range map[string]struct {
		counted Counted
		status  SummaryStatus
		counts  *Counts
		updated *time.Time
	}{
		"sums and what is above them": {Counted{Whole: true, Through: new(uint64(100)), UpdatedAt: &updated, Sums: sums, Above: above}, SummaryCurrent, &Counts{13, 5, 7}, &updated},
		"a token that moved since":    {Counted{Whole: true, Through: new(uint64(120)), UpdatedAt: &updated, Above: above}, SummaryCurrent, above, &updated},
		"a token that never moved":    {Counted{Whole: true, Through: new(uint64(120)), UpdatedAt: &updated, Above: &Counts{}}, SummaryCurrent, &Counts{}, &updated},
		"too much above the sums":     {Counted{Whole: true, Through: new(uint64(120)), UpdatedAt: &updated, Sums: sums}, SummaryStale, sums, &updated},
		"sums that are behind":        {Counted{Whole: true, Through: new(uint64(99)), UpdatedAt: &updated, Sums: sums}, SummaryStale, sums, &updated},
		"no sums of the chain":        {Counted{Whole: true, Above: above}, SummaryComputed, above, nil},
		"no sums of the token yet":    {Counted{Whole: true, Through: new(uint64(99)), UpdatedAt: &updated, Above: above}, SummaryComputed, above, nil},
		"nothing that can be counted": {Counted{Whole: true}, SummaryMetadataOnly, nil, nil},
		"too much, and no sums of it": {Counted{Whole: true, Through: new(uint64(120)), UpdatedAt: &updated}, SummaryMetadataOnly, nil, nil},
		"an older contract":           {Counted{Through: new(uint64(120)), UpdatedAt: &updated, Sums: sums, Above: above}, SummaryMetadataOnly, nil, nil},
	} {
		got := c.counted.summary(bounds)
		if got.Status != c.status || !reflect.DeepEqual(got.Counts, c.counts) || got.UpdatedAt != c.updated {
			t.Errorf("%s: got %s with %v of %v, want %s with %v of %v", name, got.Status, got.Counts, got.UpdatedAt, c.status, c.counts, c.updated)
		}
	}
	if *sums != (Counts{10, 4, 5}) || *above != (Counts{3, 1, 2}) {
		t.Errorf("what was read was changed: got %v and %v, want {10 4 5} and {3 1 2}", *sums, *above)
	}
}
