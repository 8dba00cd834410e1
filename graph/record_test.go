package graph

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/coder/websocket"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/live"
	"astrolabe/polltest"
)

// serveOnRecord serves behind a layer that records requests, and returns
// the records.
func serveOnRecord(t *testing.T) (*servedGraph, <-chan access.Record) {
	t.Helper()
	g := serveOwn(t, nil)
	records := make(chan access.Record, 1)
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, record := access.WithRecord(r.Context())
		g.ServeHTTP(w, r.WithContext(ctx))
		records <- *record
	}))
	t.Cleanup(outer.Close)
	g.url = outer.URL
	return g, records
}

func TestAccessLogRecordsCallerAndErrorCode(t *testing.T) {
	t.Parallel()
	g, records := serveOnRecord(t)
	for _, c := range []struct {
		query  string
		header map[string]string
		kind   account.Kind
		class  account.Class
		code   domain.Code
	}{
		{"{service{version}}", nil, account.ByKey, account.Query, ""},
		{`{chain(chainId:SN_MAIN){id} no:node(id:"x"){id}}`, nil, account.ByKey, account.Query, ""},
		{"{nothing}", nil, account.ByKey, account.Query, domain.CodeInvalidRequest},
		{"{nothing}", map[string]string{"Accept": mediaStream}, account.ByKey, account.Query, domain.CodeInvalidRequest},
		{"mutation{issueApiKey{action}}", nil, account.ByKey, account.Query, domain.CodeForbidden},
		{`mutation{revokeApiKey(publicId:"x"){userErrors{code}}}`, g.asUser(), account.BySession, account.Query, domain.CodeNotFound},
		{"{__typename}", map[string]string{"X-Service-Api-Key": g.access.Keys[account.Write]}, account.ByKey, "", domain.CodeForbidden},
		{"{__typename}", map[string]string{"X-Service-Api-Key": ""}, "", "", domain.CodeUnauthorized},
	} {
		header := map[string]string{"Accept": mediaJSON}
		maps.Copy(header, c.header)
		g.listen(t, c.query, header)
		got := <-records
		if (got.Caller == nil) != (c.kind == "") || got.Caller != nil && got.Caller.Kind != c.kind || got.Class != c.class || got.Code != c.code {
			t.Errorf("%s: got %+v, want caller %q, class %q and code %q", c.query, got, c.kind, c.class, c.code)
		}
	}
}

func TestAccessLogRecordsASocketWithItsOperations(t *testing.T) {
	t.Parallel()
	g, records := serveOnRecord(t)
	c := g.open(t)
	for _, id := range []string{"1", "2", "3", "4"} {
		c.subscribe(id, `{nothing}`)
	}
	for range 4 {
		if _, _, err := c.conn.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.conn.Close(websocket.StatusNormalClosure, "")
	if record := <-records; record.Caller == nil || record.Caller.Kind != account.ByKey || record.Class != account.Query || record.Code != "" {
		t.Errorf("got %+v, want a request by key of the class %s without a code", record, account.Query)
	}
}

func TestEachSocketOperationCountsAsUsage(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	key := g.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read}})
	c := g.dial(t, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}, HTTPHeader: http.Header{"X-Api-Key": {key}, "X-Request-Id": {"the-socket"}}})
	c.send(`{"type":"connection_init"}`)
	c.expect("connection_ack", "")
	c.subscribe("1", `{service{version}}`)
	c.expect("next", "1")
	c.expect("complete", "1")
	c.subscribe("2", `{nothing}`)
	c.expect("error", "2")
	c.subscribe("3", follow)
	c.expect("next", "3")
	c.send(`{"id":"3","type":"complete"}`)
	polltest.Until(t, "that the subscription has ended", func() bool { return g.followers() == 0 })
	if _, err := g.access.Gate.Keys.Revoke(t.Context(), g.access.Workspace.ID, publicID(key), account.Operator("test")); err != nil {
		t.Fatal(err)
	}
	c.subscribe("4", `{service{version}}`)
	c.expect("error", "4")
	_ = c.conn.CloseNow()
	polltest.Until(t, "that the socket is closed", func() bool { return g.openStreams() == 0 })
	stored, stop := context.WithCancel(t.Context())
	stop()
	g.Usage.Run(stored, func(err error) { t.Error(err) }) // stores what is left
	report, err := g.Usage.Report(t.Context(), g.access.Workspace.ID)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[domain.Code]int{}
	for _, use := range report.RecentRequests {
		codes[use.Code]++
		status := http.StatusOK
		if use.Failed() {
			status = httpStatus(use.Code)
		}
		if use.PublicID != publicID(key) || use.Route != "/graphql" || use.Method != http.MethodGet || use.RequestID != "the-socket" || use.Status != status {
			t.Errorf("got %+v, want the route, method, request ID and key of the socket with status %d", use, status)
		}
	}
	if report.Total.Requests != 4 || codes[""] != 2 || codes[domain.CodeInvalidRequest] != 1 || codes[domain.CodeUnauthorized] != 1 {
		t.Errorf("got %d requests with codes %v, want 4: 2 successes, 1 invalid, 1 unauthorized", report.Total.Requests, codes)
	}
}
