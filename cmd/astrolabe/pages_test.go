package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"astrolabe/access"
	"astrolabe/web/browsertest"
)

const (
	graphiqlEditor = chromedp.CSS(".graphiql-query-editor")
	graphiqlRun    = chromedp.CSS(".graphiql-execute-button")
)

// browse opens the pages of a running program as a visitor without a key would:
// the reference sends a request, GraphiQL runs a query and every example
// and follows a subscription, and neither makes a request to another origin or
// writes an error to the console.
func (a analyst) browse(t *testing.T, examples []example) {
	tab := browsertest.Page(t, a.base+"/docs")
	tab.Do(
		browsertest.Press("#operations-Chain-getStatus .opblock-summary-control"),
		browsertest.Press("#operations-Chain-getStatus .execute"),
		browsertest.Await(`document.querySelector('.live-responses-table')?.textContent.includes('following')`),
	)
	tab.AssertQuiet()

	tab.Do(
		chromedp.Navigate(a.base+"/graphiql"),
		browsertest.AwaitVisible(graphiqlEditor+" .view-lines"),
		browsertest.Press(graphiqlRun),
		awaitResult("development"),
	)
	a.press(t, tab, examples)
	tab.Do(
		browsertest.Press(graphiqlRun), // ends the last example, which is a subscription
		browsertest.ReplaceText(graphiqlEditor, "subscription Follow { chainStatus(chain: SN_MAIN) { asOf } }"),
		browsertest.Await(`document.querySelector('.graphiql-tab-button')?.textContent === 'Follow'`),
		browsertest.Press(graphiqlRun),
		awaitResult("chainStatus"),
	)
	tab.AssertQuiet()
	tab.Do( // ends the subscription; then the page's token must not replace a wrong key
		browsertest.Press(graphiqlRun),
		browsertest.ReplaceText(graphiqlEditor, "query Version { service { version } }"),
		browsertest.Await(`document.querySelector('.graphiql-tab-button')?.textContent === 'Version'`),
		chromedp.SendKeys(chromedp.CSS("#api-key"), "svc_live_wrong"),
		browsertest.Press(graphiqlRun),
		awaitResult("unauthorized"),
	)
}

func awaitResult(text string) chromedp.Action[chromedp.Void] {
	return browsertest.Await(`document.querySelector('.graphiql-response')?.textContent.includes('` + text + `')`)
}

// tokensAreOfNoUseElsewhere takes the token out of a page, as anybody can, and
// sends it from other places. The program trusts the test as a proxy, which
// sets the client's address.
func tokensAreOfNoUseElsewhere(t *testing.T, base string) {
	const visitor, stranger = "192.0.2.1", "192.0.2.2"
	for _, page := range []string{"/graphiql", "/docs"} {
		document := get(t, base+page, "X-Forwarded-For", visitor)
		meta := regexp.MustCompile(`<meta name="page-token" content="([^"]+)" />`).FindStringSubmatch(document)
		if meta == nil {
			t.Fatalf("%s: got no token, want one:\n%s", page, document)
		}
		token := meta[1]
		for name, c := range map[string]struct {
			header []string
			status int
		}{
			"the page":            {[]string{access.PageHeader, token}, http.StatusOK},
			"the page's own post": {[]string{access.PageHeader, token, "Origin", base}, http.StatusOK},
			"another origin":      {[]string{access.PageHeader, token, "Origin", "https://elsewhere.example"}, http.StatusUnauthorized},
			"another address":     {[]string{access.PageHeader, token, "X-Forwarded-For", stranger}, http.StatusUnauthorized},
			"another scheme":      {[]string{access.PageHeader, token, "X-Forwarded-Proto", "https"}, http.StatusUnauthorized},
			"another host":        {[]string{access.PageHeader, token, "Host", "elsewhere.example"}, http.StatusUnauthorized},
			"a changed token":     {[]string{access.PageHeader, token + "x"}, http.StatusUnauthorized},
			"no token":            {nil, http.StatusUnauthorized},
			"a browser's headers": {[]string{"Origin", base, "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors", "Referer", base + page}, http.StatusUnauthorized},
		} {
			header := append([]string{"X-Forwarded-For", visitor}, c.header...)
			for _, path := range []string{"/v1/SN_MAIN/status", "/api/v1/SN_MAIN/status", "/graphql"} {
				if got := statusOf(t, base+path, header); got != c.status {
					t.Errorf("%s of %s at %s: %d, want %d", name, page, path, got, c.status)
				}
			}
		}
	}
}

// statusOf returns the status of a GraphQL query, and of a GET on other paths.
func statusOf(t *testing.T, url string, header []string) int {
	t.Helper()
	method, body := http.MethodGet, ""
	if strings.HasSuffix(url, "/graphql") {
		method, body = http.MethodPost, `{"query":"{ service { version } }"}`
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			request.Host = header[i+1]
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}
