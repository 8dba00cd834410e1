package accounts

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/rest/frame"
)

// UsageBody is the recent usage of a workspace.
type UsageBody struct {
	WindowStart             time.Time      `json:"windowStart"`
	WindowEnd               time.Time      `json:"windowEnd"`
	TotalRequests           int64          `json:"totalRequests"`
	TotalFailures           int64          `json:"totalFailures"`
	PerKey                  []keyUsageBody `json:"perKey"`
	RecentRequests          []useBody      `json:"recentRequests"`
	RecentFailures          []useBody      `json:"recentFailures"`
	PerKeyTruncated         bool           `json:"perKeyTruncated"`
	RecentRequestsTruncated bool           `json:"recentRequestsTruncated"`
	RecentFailuresTruncated bool           `json:"recentFailuresTruncated"`
}

type keyUsageBody struct {
	PublicID   string           `json:"publicId"`
	Label      string           `json:"label"`
	Requests   int64            `json:"requests"`
	Failures   int64            `json:"failures"`
	LastUsedAt time.Time        `json:"lastUsedAt"`
	PerClass   []classUsageBody `json:"perClass"`
	PerRoute   []routeUsageBody `json:"perRoute"`
	PerCode    []codeUsageBody  `json:"perCode"`
}

type classUsageBody struct {
	Class    account.Class `json:"class"`
	Requests int64         `json:"requests"`
	Failures int64         `json:"failures"`
}

type routeUsageBody struct {
	Route    string `json:"route"`
	Requests int64  `json:"requests"`
	Failures int64  `json:"failures"`
}

type codeUsageBody struct {
	Code     domain.Code `json:"code"`
	Failures int64       `json:"failures"`
}

// useBody is a recorded request, without its path and body.
type useBody struct {
	At        time.Time     `json:"at"`
	RequestID string        `json:"requestId"`
	Route     string        `json:"route"`
	Method    string        `json:"method"`
	Class     account.Class `json:"class"`
	Status    int           `json:"status"`
	Code      *domain.Code  `json:"code"`
	PublicID  *string       `json:"publicId"`
	TookMs    int64         `json:"tookMs"`
}

func (h Handlers) usage(ctx context.Context, _ *frame.Call) (any, error) {
	report, err := h.Usage.Report(ctx, account.CallerOf(ctx).Workspace)
	if err != nil {
		return nil, err
	}
	body := UsageBody{
		WindowStart: report.WindowStart, WindowEnd: report.WindowEnd,
		TotalRequests: report.Total.Requests, TotalFailures: report.Total.Failures,
		PerKey:         make([]keyUsageBody, len(report.PerKey)),
		RecentRequests: renderUses(report.RecentRequests), RecentFailures: renderUses(report.RecentFailures),
		PerKeyTruncated: report.PerKeyTruncated, RecentRequestsTruncated: report.RecentRequestsTruncated,
		RecentFailuresTruncated: report.RecentFailuresTruncated,
	}
	for i, k := range report.PerKey {
		body.PerKey[i] = renderKeyUsage(k)
	}
	return body, nil
}

func renderKeyUsage(k account.KeyUsage) keyUsageBody {
	body := keyUsageBody{
		PublicID: k.PublicID, Label: k.Label, Requests: k.Requests, Failures: k.Failures, LastUsedAt: k.LastUsedAt.UTC(),
		PerClass: []classUsageBody{}, PerRoute: []routeUsageBody{}, PerCode: []codeUsageBody{},
	}
	for _, c := range k.PerClass {
		body.PerClass = append(body.PerClass, classUsageBody{c.Class, c.Requests, c.Failures})
	}
	for _, r := range k.PerRoute {
		body.PerRoute = append(body.PerRoute, routeUsageBody{r.Route, r.Requests, r.Failures})
	}
	for _, c := range k.PerCode {
		body.PerCode = append(body.PerCode, codeUsageBody{c.Code, c.Failures})
	}
	return body
}

func renderUses(uses []account.Use) []useBody {
	bodies := make([]useBody, len(uses))
	for i, u := range uses {
		bodies[i] = useBody{
			At: u.At.UTC(), RequestID: u.RequestID, Route: u.Route, Method: u.Method, Class: u.Class,
			Status: u.Status, TookMs: u.Took.Milliseconds(),
		}
		if u.Failed() {
			bodies[i].Code = &u.Code
		}
		if u.PublicID != "" {
			bodies[i].PublicID = &u.PublicID
		}
	}
	return bodies
}
