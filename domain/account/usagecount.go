package account

import (
	"slices"
	"time"

	"astrolabe/domain"
)

// UsageSlot is the key by which uses are counted.
type UsageSlot struct {
	Workspace string
	Hour      time.Time // its beginning
	PublicID  string
	Route     string
	Class     Class
	Code      domain.Code
}

// UsageCount is how many uses fell into a slot, and when the last one was.
type UsageCount struct {
	UsageSlot
	Requests int64
	LastAt   time.Time
}

// countUses counts a batch, in no particular order.
func countUses(batch []Use) []UsageCount {
	var (
		counts []UsageCount
		places = map[UsageSlot]int{}
	)
	for _, u := range batch {
		slot := UsageSlot{u.Workspace, u.At.UTC().Truncate(time.Hour), u.PublicID, u.Route, u.Class, u.Code}
		place, known := places[slot]
		if !known {
			place = len(counts)
			places[slot] = place
			counts = append(counts, UsageCount{UsageSlot: slot})
		}
		c := &counts[place]
		c.Requests++
		if c.LastAt.Before(u.At) {
			c.LastAt = u.At
		}
	}
	return counts
}

// newestUses keeps the newest requests and failures of each workspace that a
// report can list. So a caller who floods the service, even with rejected
// requests, does not fill the store.
func newestUses(batch []Use) []Use {
	sorted := slices.Clone(batch)
	slices.SortStableFunc(sorted, func(a, b Use) int { return b.At.Compare(a.At) })
	requests, failures := map[string]int{}, map[string]int{}
	return slices.DeleteFunc(sorted, func(u Use) bool {
		requests[u.Workspace]++
		if u.Failed() {
			failures[u.Workspace]++
		}
		return requests[u.Workspace] > maxRecent && (!u.Failed() || failures[u.Workspace] > maxRecent)
	})
}
