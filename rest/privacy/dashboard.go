package privacy

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/rest/frame"
)

// dashboardEvents is how many events the dashboard shows.
const dashboardEvents = 25

// DashboardBody is what our own page shows first: three other bodies at once.
type DashboardBody struct {
	Status    StatusBody    `json:"status"`
	Analytics AnalyticsBody `json:"analytics"`
	Events    EventPage     `json:"events"`
}

// dashboard answers our own pages only. For everyone else the route does not
// exist, so that nobody builds on it.
func (h Handlers) dashboard(ctx context.Context, c *frame.Call) (any, error) {
	if caller := account.CallerOf(ctx); caller == nil || caller.Kind != account.ByFirstParty {
		return nil, domain.Errorf(domain.CodeUnsupportedRoute, "This route serves the explorer's own pages only. Use status, analytics and events of /v1/{chain}/privacy-pool.")
	}
	status, err := h.PrivacyStatuses.Of(ctx, c.Chain)
	if err != nil {
		return nil, err
	}
	analytics, err := h.analyticsBody(ctx, c)
	if err != nil {
		return nil, err
	}
	page, degraded, err := h.PrivacyEvents.List(ctx, c.Chain, "", domain.PageRequest{Limit: dashboardEvents})
	if err != nil {
		return nil, err
	}
	page.Next = nil // a cursor belongs to the list of events
	return DashboardBody{statusBody(c, status), analytics, EventPage{renderPage(c, page, eventItem), degraded}}, nil
}

// DashboardOperations are the routes of our own pages.
func (h Handlers) DashboardOperations() []frame.Operation {
	return []frame.Operation{{
		ID: "getPrivacyPoolDashboard", Method: http.MethodGet, Path: "/v1/{chain}/privacy-pool/dashboard",
		Summary: "Get status, analytics and the newest events at once, for the explorer's own pages.",
		Params:  []frame.Param{frame.ChainParam}, Permission: account.Read,
		Class: frame.Heavy, Cert: frame.Beta, Audience: frame.FirstParty, Timeout: 10 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "PrivacyPoolDashboard", Errors: []domain.Code{domain.CodeUnsupportedRoute},
		Proof:  []string{"TestTheDashboardServesOurOwnPagesOnly", "TestPrivacyRoutesHaveOnlyAllowedFields"},
		Handle: h.dashboard,
	}}
}
