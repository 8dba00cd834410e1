package graph

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/graph/resolver"
	"astrolabe/repo/accounts"
	"astrolabe/telemetry"
)

// data decodes the data of a response without errors.
func data[T any](t *testing.T, a reply) (into T) {
	t.Helper()
	if err := json.Unmarshal(a.body.Data, &into); err != nil || len(a.body.Errors) > 0 {
		t.Fatalf("got status %d with %s and %v, want data without errors", a.status, a.text, err)
	}
	return into
}

type viewerData struct {
	Viewer struct {
		Kind, Plan  string
		WorkspaceID *string
		Scopes      []string
		Budgets     []resolver.Budget
	}
}

const whoAmI = `{"query":"{ viewer { kind workspaceId plan scopes budgets { class limit windowSeconds } } }"}`

func TestViewerIsTheCaller(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	key := g.access.Issue(account.IssueRequest{
		Permissions: []account.Permission{account.Write, account.Read}, Budgets: account.Budgets{account.Query: 1234},
	})
	for kind, c := range map[string]struct {
		header    map[string]string
		workspace string
		scopes    []string
		limit     int
	}{
		"KEY":         {map[string]string{"X-Service-Api-Key": key}, g.access.Workspace.ID, []string{"READ", "WRITE", "VERIFY"}, 1234},
		"SESSION":     {g.asUser(), g.access.Workspace.ID, []string{}, account.Usual[account.Query]},
		"FIRST_PARTY": {map[string]string{"X-Service-Api-Key": "", access.PageHeader: g.pageToken("127.0.0.1")}, "", []string{"READ"}, account.Usual[account.Query]},
	} {
		v := data[viewerData](t, g.post(t, whoAmI, c.header)).Viewer
		if v.Kind != kind || v.Plan != "STANDARD" || !slices.Equal(v.Scopes, c.scopes) || len(v.Budgets) != len(account.Usual) {
			t.Errorf("%s: got %+v, want plan STANDARD, scopes %v and %d rate limits", kind, v, c.scopes, len(account.Usual))
		}
		if (v.WorkspaceID == nil) != (c.workspace == "") || v.WorkspaceID != nil && *v.WorkspaceID != c.workspace {
			t.Errorf("%s: got workspace %v, want %q", kind, v.WorkspaceID, c.workspace)
		}
		if !slices.Contains(v.Budgets, resolver.Budget{Class: "graphql", Limit: c.limit, WindowSeconds: 60}) {
			t.Errorf("%s: got %v, want the limit %d of the class graphql", kind, v.Budgets, c.limit)
		}
	}
}

func TestViewerShowsItsRemainingRateLimits(t *testing.T) {
	t.Parallel()
	g, header := serveFrozen(t, 1000)
	const query = `{"query":"{ viewer { budgets { class remaining } } a: viewer { budgets { remaining } } }"}`
	used := 0
	for range 2 {
		a, statements := g.count(t, query, header)
		cost := used + a.body.Extensions.Cost.Requested // while it is executed
		used += a.body.Extensions.Cost.Actual
		type left struct {
			Class     string
			Remaining int
		}
		budgets := data[struct{ Viewer struct{ Budgets []left } }](t, a).Viewer.Budgets
		for _, want := range []left{{"graphql", 1000 - cost}, {"heavy", 240}} {
			if !slices.Contains(budgets, want) {
				t.Errorf("got %+v, want %+v", budgets, want)
			}
		}
		if statements != 2 { // the key and the rate limits
			t.Errorf("got %d statements, want 2", statements)
		}
	}
}

func TestAliasesOfWorkspaceFieldsShareOneRead(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	_, once := g.count(t, `{"query":"{ viewer { apiKeys { truncated } usage { totalRequests } } }"}`, g.asUser())
	_, often := g.count(t, `{"query":"{ viewer { apiKeys { truncated } usage { totalRequests } b: apiKeys { truncated } c: usage { totalFailures } } v: viewer { apiKeys { truncated } usage { totalRequests } } }"}`, g.asUser())
	if once != often {
		t.Errorf("got %d statements, want %d", often, once)
	}
}

// count runs the handler without a connection, and counts the
// statements of the request. Its charge adds none: it is combined with others.
func (g *servedGraph) count(t *testing.T, body string, header map[string]string) (a reply, statements int) {
	t.Helper()
	ctx, count := telemetry.CountStatements(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	g.setHeaders(r, header)
	recorder := httptest.NewRecorder()
	g.ServeHTTP(recorder, r)
	a.text, a.status = recorder.Body.String(), recorder.Code
	if err := json.Unmarshal(recorder.Body.Bytes(), &a.body); err != nil || len(a.body.Errors) > 0 {
		t.Fatalf("got %s and %v, want no errors", a.text, err)
	}
	return a, count.N()
}

const keyFields = `publicId label environment scopes status maskedKey createdAt lastUsedAt expiresAt revokedAt`

type keyData struct {
	PublicID, Status, MaskedKey string
	Scopes                      []string
	RevokedAt                   *time.Time
}

type issuedData struct {
	IssueAPIKey struct {
		Action, PlaintextKey string
		APIKey               keyData
		RevokedPublicIDs     []string
	}
}

func (g *servedGraph) issue(t *testing.T) issuedData {
	t.Helper()
	return data[issuedData](t, g.post(t, `{"query":"mutation { issueApiKey { action plaintextKey apiKey { `+keyFields+` } revokedPublicIds } }"}`, g.asUser()))
}

func TestUserIssuesListsAndRevokesKeys(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	first := g.issue(t).IssueAPIKey
	if first.Action != "CREATED" || len(first.RevokedPublicIDs) != 0 || len(first.APIKey.Scopes) != len(account.SelfServe)+1 {
		t.Errorf("got %+v, want CREATED with every self-serve scope", first)
	}
	second := g.issue(t).IssueAPIKey
	if second.Action != "ROTATED" || !slices.Equal(second.RevokedPublicIDs, []string{first.APIKey.PublicID}) {
		t.Errorf("got %+v, want ROTATED with the first key revoked", second)
	}
	for key, status := range map[string]int{first.PlaintextKey: 401, second.PlaintextKey: 200} {
		if a := g.post(t, `{"query":"{__typename}"}`, map[string]string{"X-Service-Api-Key": key}); a.status != status {
			t.Errorf("got status %d, want %d", a.status, status)
		}
	}
	list := data[struct {
		Viewer struct {
			APIKeys struct {
				Items     []keyData
				Truncated bool
			}
		}
	}](t, g.post(t, `{"query":"{ viewer { apiKeys { items { `+keyFields+` } truncated } } }"}`, g.asUser())).Viewer.APIKeys
	statuses := map[string]string{}
	for _, k := range list.Items {
		statuses[k.PublicID] = k.Status
	}
	if statuses[first.APIKey.PublicID] != "REVOKED" || statuses[second.APIKey.PublicID] != "ACTIVE" || list.Truncated {
		t.Errorf("got %+v, want the first key revoked and the second active", list)
	}
	revoke := `{"query":"mutation { revokeApiKey(publicId: \"` + second.APIKey.PublicID + `\") { apiKey { ` + keyFields + ` } userErrors { code } } }"}`
	type revoked struct{ RevokeAPIKey struct{ APIKey keyData } }
	gone := data[revoked](t, g.post(t, revoke, g.asUser())).RevokeAPIKey.APIKey
	again := data[revoked](t, g.post(t, revoke, g.asUser())).RevokeAPIKey.APIKey
	if gone.Status != "REVOKED" || gone.RevokedAt == nil || again.RevokedAt == nil || !gone.RevokedAt.Equal(*again.RevokedAt) {
		t.Errorf("got %+v and then %+v, want the same time of revocation", gone, again)
	}
}

func TestKeyOfAnotherWorkspaceIsNotFound(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	foreign := g.foreignKey(t)
	var messages []string
	for _, id := range []string{publicID(foreign), "abcdefghijk1", "", "x y"} {
		payload := data[struct{ RevokeAPIKey revokePayload }](t, g.post(t, `{"query":"mutation { revokeApiKey(publicId: \"`+id+`\") { `+revokeFields+` } }"}`, g.asUser())).RevokeAPIKey
		if payload.APIKey != nil || len(payload.UserErrors) != 1 || payload.UserErrors[0].Code != string(domain.CodeNotFound) || *payload.UserErrors[0].Argument != "publicId" {
			t.Fatalf("%q: got %+v, want no key and %s for publicId", id, payload, domain.CodeNotFound)
		}
		messages = append(messages, payload.UserErrors[0].Message)
	}
	if len(slices.Compact(messages)) != 1 {
		t.Errorf("got %q, want the same message for every id", messages)
	}
	if _, err := g.access.Gate.Keys.Authenticate(t.Context(), foreign); err != nil {
		t.Errorf("key of the other workspace: got %v, want it valid", err)
	}
}

// foreignKey issues a key of another workspace.
func (g *servedGraph) foreignKey(t *testing.T) string {
	t.Helper()
	other, err := account.NewWorkspaces(accounts.NewWorkspaces(g.db), time.Now).Ensure(t.Context(), "another", account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	issued, err := g.access.Gate.Keys.Issue(t.Context(), other.ID, account.IssueRequest{
		Label: "theirs", Environment: account.Live, Permissions: []account.Permission{account.Read},
	}, account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	return issued.Text.Reveal()
}

func TestOnlyASessionManagesKeys(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	for name, header := range map[string]map[string]string{
		"a key":  nil,
		"a page": {"X-Service-Api-Key": "", access.PageHeader: g.pageToken("127.0.0.1")},
	} {
		for _, mutation := range []string{`issueApiKey { plaintextKey }`, `revokeApiKey(publicId: \"abcdefghijk1\") { apiKey { status } }`, `__typename`} {
			a := g.post(t, `{"query":"mutation { `+mutation+` }"}`, header)
			if a.status != http.StatusForbidden || a.header.Get("WWW-Authenticate") != `Bearer realm="service"` || a.body.Errors[0].Extensions.Code != domain.CodeForbidden ||
				a.body.Errors[0].Message != "Mutations require a session. Send it as `Authorization: Bearer`." {
				t.Errorf("%s: %s: got status %d, header %v, body %s; want 403", name, mutation, a.status, a.header, a.text)
			}
		}
		a := g.post(t, `{"query":"{ viewer { apiKeys { truncated } } service { version } }"}`, header)
		if string(a.body.Data) != `{"viewer":{"apiKeys":null},"service":{"version":"v1.2.3"}}` || codeOf(t, a.text) != domain.CodeForbidden {
			t.Errorf("%s: got %s, want %s for apiKeys alone", name, a.text, domain.CodeForbidden)
		}
	}
}

// TestSecretIsShownOnceAndNeverLogged checks everything that is logged, down
// to debug level, while keys are issued, used and misused.
func TestSecretIsShownOnceAndNeverLogged(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	issued := g.issue(t).IssueAPIKey
	secret := issued.PlaintextKey[strings.LastIndex(issued.PlaintextKey, "_")+1:]
	used := map[string]string{"X-Service-Api-Key": issued.PlaintextKey}
	g.store.fail(context.DeadlineExceeded)
	for _, a := range []reply{
		g.post(t, `{"query":"{ status(chain: SN_MAIN) { asOf } }"}`, used),
		g.post(t, `{"query":"{ nothing }"}`, used),
		g.post(t, `{"query":"{ viewer { apiKeys { items { `+keyFields+` } } } }"}`, g.asUser()),
		g.post(t, `{"query":"mutation { issueApiKey { nothing } }"}`, g.asUser()),
		g.post(t, `{"query":"{__typename}"}`, map[string]string{"X-Service-Api-Key": issued.PlaintextKey + "0"}),
		g.post(t, `{"query":"{__typename}"}`, map[string]string{"X-Service-Api-Key": `"` + issued.PlaintextKey + `"`}),
		g.post(t, `{"query":"{__typename}"}`, map[string]string{"X-Service-Api-Key": issued.PlaintextKey, "X-Api-Key": g.access.Key}),
	} {
		if strings.Contains(a.text, secret) || strings.Contains(a.text, g.access.Cookie) {
			t.Errorf("got %s, want no secret in it", a.text)
		}
	}
	g.trySocket(t, nil, map[string]string{"apiKey": issued.PlaintextKey + "0"})
	if log := g.log.String(); log == "" || strings.Contains(log, secret) || strings.Contains(log, g.access.Cookie) || strings.Contains(log, g.access.Key) {
		t.Errorf("got log %s, want entries without a secret", log)
	}
}

func TestUsageCoversTheWholeWorkspace(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	usage := g.Usage
	use := account.Use{
		At: time.Now(), Workspace: g.access.Workspace.ID, PublicID: publicID(g.access.Key), Route: "/graphql", Method: http.MethodPost,
		Class: account.Query, Status: 200, RequestID: "mine", Took: 1500 * time.Microsecond,
	}
	failed, foreign := use, use
	failed.Code, failed.Status, failed.PublicID, failed.RequestID = domain.CodeRateLimited, 429, "", "failed"
	foreign.Workspace, foreign.RequestID = "wsp_other", "foreign"
	for _, u := range []account.Use{use, failed, foreign} {
		usage.Record(u)
	}
	stored, stop := context.WithCancel(t.Context())
	stop()
	usage.Run(stored, func(err error) { t.Error(err) }) // stores what is left
	const query = `{"query":"{ viewer { usage { windowStart windowEnd totalRequests totalFailures
		perKey { publicId label requests failures lastUsedAt perClass { class requests failures } perRoute { route requests failures } perCode { code failures } } perKeyTruncated
		recentRequests { at publicId route method class status code requestId tookMs } recentRequestsTruncated recentFailures { requestId code publicId } recentFailuresTruncated } } }"}`
	if a := g.post(t, `{"query":"{ viewer { usage { totalRequests } } }"}`, nil); !strings.Contains(a.text, `"forbidden"`) || strings.Contains(a.text, "totalRequests\":") {
		t.Errorf("key: got %s, want %s", a.text, domain.CodeForbidden)
	}
	for name, header := range map[string]map[string]string{"a person": g.asUser()} {
		u := data[struct {
			Viewer struct{ Usage resolver.Usage }
		}](t, g.post(t, strings.Join(strings.Fields(query), " "), header)).Viewer.Usage
		if u.TotalRequests != 2 || u.TotalFailures != 1 || len(u.PerKey) != 1 || len(u.RecentRequests) != 2 || len(u.RecentFailures) != 1 {
			t.Fatalf("%s: got %+v, want 2 requests and 1 failure", name, u)
		}
		k, f := u.PerKey[0], u.RecentFailures[0]
		if k.PublicID != use.PublicID || k.Requests != 1 || len(k.PerClass) != 1 || k.PerClass[0].Class != "graphql" || k.PerRoute[0].Route != "/graphql" {
			t.Errorf("%s: got %+v, want 1 request of the key %s", name, k, use.PublicID)
		}
		if f.RequestID != "failed" || f.Code == nil || *f.Code != "rate_limited" || f.PublicID != nil {
			t.Errorf("%s: got %+v, want rate_limited without a key", name, f)
		}
	}
	page := map[string]string{"X-Service-Api-Key": "", access.PageHeader: g.pageToken("127.0.0.1")}
	if a := g.post(t, `{"query":"{ viewer { kind usage { totalRequests } } }"}`, page); string(a.body.Data) != `{"viewer":{"kind":"FIRST_PARTY","usage":null}}` || codeOf(t, a.text) != domain.CodeForbidden {
		t.Errorf("page: got %s, want null with %s", a.text, domain.CodeForbidden)
	}
}
