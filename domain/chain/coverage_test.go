package chain

import (
	"context"
	"testing"
	"time"

	"astrolabe/domain"
)

type headOf Head

// Heads implements Heads.
func (h headOf) Heads(context.Context) (map[domain.Chain]Head, error) {
	return map[domain.Chain]Head{domain.Mainnet: Head(h)}, nil
}

func TestCoverageIsExactOnlyUpToTheKnownHead(t *testing.T) {
	t.Parallel()
	whole := Coverage{First: 0, Last: 100}
	following := func(held Coverage, node uint64) Head {
		return Head{State: Following, Led: true, Block: &domain.BlockRef{Number: node}, Coverage: &held, ObservedAt: time.Now()}
	}
	with := func(h Head, change func(*Head)) Head { change(&h); return h }
	at := func(n uint64) *uint64 { return &n }
	for name, test := range map[string]struct {
		head     Head
		from, to *uint64
		want     string
	}{
		"at the head":                {following(whole, 100), nil, nil, "exact"},
		"a little behind":            {following(whole, 100+FollowLag), nil, nil, "exact"},
		"far behind":                 {following(whole, 101+FollowLag), nil, nil, "partial index_behind"},
		"far behind, from a block":   {following(whole, 101+FollowLag), at(50), nil, "partial index_behind"},
		"a range that is all there":  {following(whole, 1000), at(50), at(100), "exact"},
		"a range beyond the index":   {following(whole, 1000), at(50), at(101), "partial index_behind"},
		"a range beyond the chain":   {following(whole, 100), at(50), at(101), "exact"},
		"begun later":                {following(Coverage{First: 10, Last: 100}, 100), nil, nil, "partial index_starts_later"},
		"begun later, from before":   {following(Coverage{First: 10, Last: 100}, 100), at(9), at(50), "partial index_starts_later"},
		"begun later, from there on": {following(Coverage{First: 10, Last: 100}, 100), at(10), nil, "exact"},
		"beyond the head only":       {following(whole, 100), at(101), at(200), "exact"},
		"beyond a head behind it":    {following(whole, 150), at(151), at(200), "exact"},
		"not indexed at all yet":     {following(whole, 150), at(101), at(200), "unavailable index_behind"},
		"before the index only":      {following(Coverage{First: 10, Last: 100}, 100), at(0), at(9), "unavailable index_starts_later"},
		"beyond a head of long ago": {
			with(following(whole, 120), func(h *Head) { h.Led, h.ObservedAt = false, h.ObservedAt.Add(-time.Hour) }), at(200), at(300), "unavailable index_behind",
		},
		"to beyond a head of long ago": {
			with(following(whole, 100), func(h *Head) { h.Led, h.ObservedAt = false, h.ObservedAt.Add(-time.Hour) }), at(50), at(300), "partial index_behind",
		},
		"halted at the head":     {with(following(whole, 100), func(h *Head) { h.State = Halted }), nil, nil, "exact"},
		"halted before the head": {with(following(whole, 101), func(h *Head) { h.State = Halted }), nil, nil, "partial index_behind"},
		"halted long ago": {
			with(following(whole, 100), func(h *Head) { h.Led, h.ObservedAt = false, h.ObservedAt.Add(-time.Hour) }), nil, nil, "partial index_behind",
		},
		"halted, a range of before": {with(following(whole, 500), func(h *Head) { h.Led = false }), nil, at(100), "exact"},
		"without a node":            {with(following(whole, 0), func(h *Head) { h.Block = nil }), nil, nil, "partial index_behind"},
		"without any block":         {with(following(whole, 3), func(h *Head) { h.Coverage = nil }), nil, nil, "unavailable nothing_indexed"},
		"without any head yet":      {Head{}, nil, nil, "unavailable nothing_indexed"},
	} {
		horizon, err := NewStatuses(headOf(test.head), 0).Horizon(t.Context(), domain.Mainnet)
		if err != nil {
			t.Fatal(err)
		}
		coverage := horizon.Between(test.from, test.to)
		got := string(coverage.Status)
		if coverage.ReasonCode != "" {
			got += " " + coverage.ReasonCode
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
