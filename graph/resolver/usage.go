package resolver

import (
	"time"

	"astrolabe/domain/account"
)

// Usage is the usage of a workspace in a time window, including its sessions.
type Usage struct {
	WindowStart, WindowEnd       time.Time
	TotalRequests, TotalFailures uint64
	PerKey                       []KeyUsage
	PerKeyTruncated              bool
	RecentRequests               []Use
	RecentRequestsTruncated      bool
	RecentFailures               []Use
	RecentFailuresTruncated      bool
}

// KeyUsage is the usage of one API key.
type KeyUsage struct {
	PublicID, Label    string
	Requests, Failures uint64
	LastUsedAt         time.Time
	PerClass           []ClassUsage
	PerRoute           []RouteUsage
	PerCode            []CodeUsage
}

// ClassUsage is the usage of a rate limit class.
type ClassUsage struct {
	Class              string
	Requests, Failures uint64
}

// RouteUsage is the usage of a route.
type RouteUsage struct {
	Route              string
	Requests, Failures uint64
}

// CodeUsage counts the failed requests with an error code.
type CodeUsage struct {
	Code     string
	Failures uint64
}

// Use is a recorded request.
type Use struct {
	At            time.Time
	PublicID      *string
	Route, Method string
	Class         string
	Status        int
	Code          *string
	RequestID     string
	TookMs        uint64
}

func usageOf(r account.UsageReport) *Usage {
	usage := &Usage{
		WindowStart: r.WindowStart, WindowEnd: r.WindowEnd,
		TotalRequests: uint64(r.Total.Requests), TotalFailures: uint64(r.Total.Failures),
		PerKey: make([]KeyUsage, len(r.PerKey)), PerKeyTruncated: r.PerKeyTruncated,
		RecentRequests: usesOf(r.RecentRequests), RecentRequestsTruncated: r.RecentRequestsTruncated,
		RecentFailures: usesOf(r.RecentFailures), RecentFailuresTruncated: r.RecentFailuresTruncated,
	}
	for i, k := range r.PerKey {
		usage.PerKey[i] = keyUsage(k)
	}
	return usage
}

func keyUsage(k account.KeyUsage) KeyUsage {
	usage := KeyUsage{
		PublicID: k.PublicID, Label: k.Label, LastUsedAt: k.LastUsedAt,
		Requests: uint64(k.Requests), Failures: uint64(k.Failures),
	}
	for _, c := range k.PerClass {
		usage.PerClass = append(usage.PerClass, ClassUsage{string(c.Class), uint64(c.Requests), uint64(c.Failures)})
	}
	for _, r := range k.PerRoute {
		usage.PerRoute = append(usage.PerRoute, RouteUsage{r.Route, uint64(r.Requests), uint64(r.Failures)})
	}
	for _, c := range k.PerCode {
		usage.PerCode = append(usage.PerCode, CodeUsage{string(c.Code), uint64(c.Failures)})
	}
	return usage
}

func usesOf(list []account.Use) []Use {
	uses := make([]Use, len(list))
	for i, u := range list {
		uses[i] = Use{
			At: u.At, Route: u.Route, Method: u.Method, Class: string(u.Class), Status: u.Status,
			RequestID: u.RequestID, TookMs: uint64(u.Took.Milliseconds()),
		}
		if u.PublicID != "" {
			uses[i].PublicID = &u.PublicID
		}
		if u.Failed() {
			uses[i].Code = new(string(u.Code))
		}
	}
	return uses
}
