package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"astrolabe/web"
	"astrolabe/web/browsertest"
)

// key is the API key that a user enters; it may appear in requests only.
const key = "sk_live_9f3c"

const (
	keyBox      = chromedp.CSS("#api-key")
	runButton   = chromedp.CSS(`.graphiql-execute-button[aria-label^="Execute"]`) // also the stop button
	queryEditor = chromedp.CSS(".graphiql-query-editor")
)

// The operations of the tests.
const (
	query        = "query Version { service { version } }"
	subscription = "subscription Greet { greeting }"
)

// openGraphiQL loads the console in a browser, with a GraphQL server.
func openGraphiQL(t *testing.T) (*browsertest.Tab, *graphqlServer) {
	t.Helper()
	graph := &graphqlServer{}
	return openGraphiQLAt(t, graph, ""), graph
}

// openGraphiQLAt is openGraphiQL with a fragment in the URL. When it returns,
// the page has sent all requests that it sends on load.
func openGraphiQLAt(t *testing.T, graph *graphqlServer, fragment string) *browsertest.Tab {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/graphiql", web.GraphiQL(graph.token))
	mux.Handle("/graphiql/", web.GraphiQL(graph.token))
	mux.Handle("/graphql", graph)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	tab := browsertest.Page(t, server.URL+"/graphiql"+fragment)
	tab.Do(
		browsertest.AwaitVisible(queryEditor+" .view-lines"),
		browsertest.AwaitVisible(runButton),
		awaitEstimate,
	)
	return tab
}

// awaitEstimate waits until the page shows the cost of the operation.
var awaitEstimate = browsertest.Await(`/Cost \d/.test(document.querySelector('.cost-before')?.textContent)`)

// waitForResult polls until the result pane shows the text.
func waitForResult(text string) chromedp.Action[chromedp.Void] {
	return browsertest.Await(fmt.Sprintf(
		`document.querySelector('.graphiql-response')?.textContent.includes(%q)`, text))
}

// write enters an operation into the editor and waits until the page has sent
// all requests that it sends for it automatically.
func write(operation string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		browsertest.ReplaceText(queryEditor, operation),
		awaitText(".cost-before", fmt.Sprintf("Cost %d", len(operation))),
	)
}

// run clicks the run button and waits until the result pane shows a new text.
func run(text string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(browsertest.Press(runButton), waitForResult(text))
}

// waitForTab polls until GraphiQL has parsed the operation and named its tab
// after it; then it has also processed all earlier input.
func waitForTab(operation string) chromedp.Action[chromedp.Void] {
	return browsertest.Await(fmt.Sprintf(
		`document.querySelector('.graphiql-tab-button')?.textContent === %q`, operation))
}

// traces returns everything that the page stores: both storages, the cookies
// and the URL.
func traces(tab *browsertest.Tab) string {
	return browsertest.Get(tab, chromedp.Evaluate[string](
		`JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])`))
}

// requireCredentials compares the credentials of the operations, without
// introspection.
func requireCredentials(t *testing.T, graph *graphqlServer, want ...credentials) {
	t.Helper()
	if got := graph.operations(); !slices.Equal(got, want) {
		t.Errorf("got credentials %q, want %q", got, want)
	}
}

// agePage makes the page assume that 51 minutes have passed since it loaded.
var agePage = chromedp.Evaluate[chromedp.Void](
	`void (Date.now = ((now) => () => now() + 51 * 60_000)(Date.now))`)

func TestGraphiQLWithoutAKeyUsesAndRenewsAPageToken(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(
		run(answerNumber(1)),
		write(subscription), run("hello-"+tokenNumber(1)),
		write(query), agePage, run(answerNumber(2)), // before the token expires
	)
	requireCredentials(t, graph, credentials{Token: tokenNumber(1)}, credentials{Token: tokenNumber(2)})
	if left := traces(tab); strings.Contains(left, "page-token") {
		t.Errorf("got a token stored in %s, want none", left)
	}
	tab.AssertQuiet()

	graph.revoke()
	tab.Do(run(answerNumber(4)))
	requireCredentials(t, graph, credentials{Token: tokenNumber(1)}, credentials{Token: tokenNumber(2)}, credentials{Token: tokenNumber(2)}, credentials{Token: tokenNumber(3)})

	tab.Do(write(subscription))
	graph.revoke()
	tab.Do(run("4401"), run("hello-"+tokenNumber(4)))
}

func TestGraphiQLSendsTheEnteredKeyAndDoesNotStoreIt(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(
		chromedp.SendKeys(keyBox, key),
		run(answerNumber(1)),
		write(subscription), run("hello-"+key), // in the opening message
	)
	if left := traces(tab); strings.Contains(left, key) {
		t.Errorf("got the key stored in %s, want it not stored", left)
	}
	tab.AssertQuiet()

	const typo = "s"
	tab.Do(write(query), chromedp.SendKeys(keyBox, typo), run("unauthorized"))
	requireCredentials(t, graph, credentials{Key: key}, credentials{Key: key + typo})
}

func TestGraphiQLDoesNotStoreRequestHeaders(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(
		browsertest.Press(`button[data-name="headers"]`),
		browsertest.AwaitVisible(`button.active[data-name="headers"]`),
		browsertest.ReplaceText(`.graphiql-editor-tool > .graphiql-editor:not(.hidden)`, `{"X-Service-Api-Key": "`+key+`"}`),
		write(query),
		run(version),
		browsertest.Await(`localStorage.getItem('graphiql:queries')?.includes('Version')`),
		browsertest.Await(`localStorage.getItem('graphiql:tabState')?.includes('Version')`),
	)
	requireCredentials(t, graph, credentials{Key: key})
	if left := traces(tab); strings.Contains(left, key) {
		t.Errorf("got the header stored in %s, want it not stored", left)
	}
	tab.AssertQuiet()
}

func TestGraphiQLLoadsTheSchema(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(
		browsertest.ReplaceText(queryEditor, "{ service { colour } }"), // not in the schema
		browsertest.AwaitVisible(".squiggly-error"),

		browsertest.ReplaceText(queryEditor, "query Built { __typename }"),
		waitForTab("Built"),
		browsertest.Press(`button[aria-label="Show GraphiQL Explorer"]`),
		browsertest.Await(`[...document.querySelectorAll('.docExplorerWrap input')].some((one) => one.value === 'Built')`),
		browsertest.Press(`[data-field-name="service"] > span`),
		browsertest.Press(`[data-field-name="version"] > span`),
		awaitEstimate,
		run(version),
	)
	if got := strings.Join(strings.Fields(graph.question().Query), " "); got != "query Built { service { version } }" {
		t.Errorf("got the query %q, want %q", got, "query Built { service { version } }")
	}
	tab.AssertQuiet()
}
