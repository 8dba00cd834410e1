package account

import (
	"context"
	"time"

	"astrolabe/domain"
)

const (
	// usageWindow is the length of a report, before the current hour.
	usageWindow  = 24 * time.Hour
	maxUsageKeys = 50 // keys in a report
	maxRecent    = 50 // requests, and failures, in a report
)

// UsageReport is the usage of a workspace in a window, including its sessions.
type UsageReport struct {
	// WindowStart is the beginning of an hour, from 24 to 25 hours before
	// WindowEnd, which is the moment of the report in whole milliseconds.
	WindowStart, WindowEnd time.Time
	Total                  Tally
	PerKey                 []KeyUsage // the busiest first
	PerKeyTruncated        bool
	// The newest first.
	RecentRequests, RecentFailures                   []Use
	RecentRequestsTruncated, RecentFailuresTruncated bool
}

// Tally counts requests and how many of them failed.
type Tally struct{ Requests, Failures int64 }

// KeyUsage is the part of one key.
type KeyUsage struct {
	PublicID, Label string
	Tally
	LastUsedAt time.Time
	PerClass   []ClassUsage // in the order of their names, as the others
	PerRoute   []RouteUsage
	PerCode    []CodeUsage
}

// ClassUsage is the part of a class.
type ClassUsage struct {
	Class Class
	Tally
}

// RouteUsage is the part of a route.
type RouteUsage struct {
	Route string
	Tally
}

// CodeUsage is how often requests failed with a code.
type CodeUsage struct {
	Code     domain.Code
	Failures int64
}

// Report returns the usage of a workspace. Totals may lack the last second: see
// Usage. A failing store is service_unavailable.
func (s *Usage) Report(ctx context.Context, workspace string) (UsageReport, error) {
	end := domain.Milliseconds(s.now())
	start := end.Truncate(time.Hour).Add(-usageWindow)
	r, err := s.store.ReadUsage(ctx, workspace, start, maxUsageKeys+1, maxRecent)
	if err != nil {
		return UsageReport{}, err
	}
	r.WindowStart, r.WindowEnd = start, end
	if r.PerKeyTruncated = len(r.PerKey) > maxUsageKeys; r.PerKeyTruncated {
		r.PerKey = r.PerKey[:maxUsageKeys]
	}
	r.RecentRequestsTruncated = r.Total.Requests > int64(len(r.RecentRequests))
	r.RecentFailuresTruncated = r.Total.Failures > int64(len(r.RecentFailures))
	return r, nil
}
