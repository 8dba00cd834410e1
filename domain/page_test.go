package domain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func at(v int) Position { return Position{uint64(v), 4} }

func TestPageHasANextPositionOnlyIfTheListContinues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows []int
		want Page[int]
	}{
		"no rows":                    {nil, Page[int]{}},
		"a row less than the limit":  {[]int{1}, Page[int]{Items: []int{1}}},
		"as many as the limit":       {[]int{1, 2}, Page[int]{Items: []int{1, 2}}},
		"one more, the list goes on": {[]int{1, 2, 3}, Page[int]{Items: []int{1, 2}, Next: Position{2, 4}}},
	} {
		if diff := cmp.Diff(c.want, CutPage(c.rows, 2, at)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestBatchContinuesAfterItsLastRowOrTheEnd(t *testing.T) {
	t.Parallel()
	end := Position{9, 0}
	for name, c := range map[string]struct {
		rows []int
		want Batch[int]
	}{
		"no rows":                    {nil, Batch[int]{Next: end}},
		"as many as the limit":       {[]int{1, 2}, Batch[int]{Items: []int{1, 2}, Next: end}},
		"one more, the list goes on": {[]int{1, 2, 3}, Batch[int]{Items: []int{1, 2}, Next: Position{2, 5}}},
	} {
		if diff := cmp.Diff(c.want, CutBatch(c.rows, 2, at, end)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
