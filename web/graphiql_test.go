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

// key is what a visitor types; it must be found nowhere but in the requests.
const key = "sk_live_9f3c"

const (
	keyBox      = chromedp.CSS("#api-key")
	runButton   = chromedp.CSS(".graphiql-execute-button")
	queryEditor = chromedp.CSS(".graphiql-query-editor")
)

// openGraphiQL loads the console in a browser, with a GraphQL server behind it.
func openGraphiQL(t *testing.T) (*browsertest.Tab, *graphqlServer) {
	t.Helper()
	graph := &graphqlServer{}
	return openGraphiQLAt(t, graph, ""), graph
}

// openGraphiQLAt does the same with a fragment in the address. The page has
// asked all that it asks by itself when it returns.
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

// awaitEstimate waits until the page tells what the operation will cost.
var awaitEstimate = browsertest.Await(`/Cost \d/.test(document.querySelector('.cost-before')?.textContent)`)

// waitForResult polls until the result pane shows the text.
func waitForResult(text string) chromedp.Action[chromedp.Void] {
	return browsertest.Await(fmt.Sprintf(
		`document.querySelector('.graphiql-response')?.textContent.includes(%q)`, text))
}

// waitForTab polls until GraphiQL has read the operation and named its tab after
// it; whatever was typed before is then known to it too.
func waitForTab(operation string) chromedp.Action[chromedp.Void] {
	return browsertest.Await(fmt.Sprintf(
		`document.querySelector('.graphiql-tab-button')?.textContent === %q`, operation))
}

// traces returns everything that the page leaves behind: both storages, the
// cookies and the address.
func traces(tab *browsertest.Tab) string {
	return browsertest.Get(tab, chromedp.Evaluate[string](
		`JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])`))
}

// requireShown compares what the operations showed, introspection apart.
func requireShown(t *testing.T, graph *graphqlServer, want ...shown) {
	t.Helper()
	if got := graph.operations(); !slices.Equal(got, want) {
		t.Errorf("the operations showed %q, want %q", got, want)
	}
}

func TestGraphiQLAnswersAQueryWithTheKeyOfTheBox(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(
		chromedp.SendKeys(keyBox, key),
		browsertest.Press(runButton),
		waitForResult(version),
	)
	requireShown(t, graph, shown{Key: key})
	if left := traces(tab); strings.Contains(left, key) {
		t.Errorf("the key stays behind in %s", left)
	}
	tab.AssertQuiet()
}

func TestGraphiQLAnswersAQueryWithoutAKey(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(browsertest.Press(runButton), waitForResult(version))
	requireShown(t, graph, shown{Token: tokenNumber(1)})
	if left := traces(tab); strings.Contains(left, "page-token") {
		t.Errorf("the token stays behind in %s", left)
	}
	tab.AssertQuiet()
}

func TestGraphiQLShowsThatAKeyIsWrong(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(
		chromedp.SendKeys(keyBox, "wrong"),
		browsertest.Press(runButton),
		waitForResult("unauthorized"),
	)
	requireShown(t, graph, shown{Key: "wrong"})
}

// agePage lets the page believe that 51 minutes have passed since it loaded.
var agePage = chromedp.Evaluate[chromedp.Void](
	`void (Date.now = ((now) => () => now() + 51 * 60_000)(Date.now))`)

func TestGraphiQLFetchesItsNextTokenBeforeTheOldExpires(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(agePage, browsertest.Press(runButton), waitForResult(version))
	requireShown(t, graph, shown{Token: tokenNumber(2)})
	tab.AssertQuiet()
}

func TestGraphiQLFetchesItsNextTokenWhenTheOldIsRefused(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	graph.revoke()
	tab.Do(browsertest.Press(runButton), waitForResult(version))
	requireShown(t, graph, shown{Token: tokenNumber(1)}, shown{Token: tokenNumber(2)})
}

func TestGraphiQLSubscribesAgainAfterASocketWasRefused(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(browsertest.ReplaceText(queryEditor, "subscription Greet { greeting }"), waitForTab("Greet"), awaitEstimate)
	graph.revoke()
	tab.Do(
		browsertest.Press(runButton),
		waitForResult("4401"),
		browsertest.Press(runButton),
		waitForResult("hello-"+tokenNumber(2)),
	)
}

func TestGraphiQLSubscribesWithoutAKey(t *testing.T) {
	t.Parallel()
	tab, _ := openGraphiQL(t)
	tab.Do(
		browsertest.ReplaceText(queryEditor, "subscription Greet { greeting }"),
		waitForTab("Greet"),
		browsertest.Press(runButton),
		waitForResult("hello-"+tokenNumber(1)),
	)
	tab.AssertQuiet()
}

func TestGraphiQLSubscribesWithTheKeyInTheOpeningMessage(t *testing.T) {
	t.Parallel()
	tab, _ := openGraphiQL(t)
	tab.Do(
		chromedp.SendKeys(keyBox, key),
		browsertest.ReplaceText(queryEditor, "subscription Greet { greeting }"),
		waitForTab("Greet"),
		browsertest.Press(runButton),
		waitForResult("hello-"+key),
	)
	if left := traces(tab); strings.Contains(left, key) {
		t.Errorf("the key stays behind in %s", left)
	}
	tab.AssertQuiet()
}

func TestGraphiQLForgetsRequestHeaders(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(
		browsertest.Press(`button[data-name="headers"]`),
		browsertest.AwaitVisible(`button.active[data-name="headers"]`),
		browsertest.ReplaceText(`.graphiql-editor-tool > .graphiql-editor:not(.hidden)`, `{"X-Service-Api-Key": "`+key+`"}`),
		browsertest.ReplaceText(queryEditor, "query Version { service { version } }"),
		waitForTab("Version"),
		browsertest.Press(runButton),
		waitForResult(version),
		browsertest.Await(`localStorage.getItem('graphiql:queries')?.includes('Version')`),
		browsertest.Await(`localStorage.getItem('graphiql:tabState')?.includes('Version')`),
	)
	requireShown(t, graph, shown{Key: key})
	if left := traces(tab); strings.Contains(left, key) {
		t.Errorf("the header stays behind in %s", left)
	}
	tab.AssertQuiet()
}

func TestGraphiQLUnderlinesAFieldThatTheSchemaLacks(t *testing.T) {
	t.Parallel()
	tab, _ := openGraphiQL(t)
	tab.Do(
		browsertest.ReplaceText(queryEditor, "{ service { colour } }"),
		browsertest.AwaitVisible(".squiggly-error"),
	)
	tab.AssertQuiet()
}

func TestGraphiQLShowsTheSchemaInTheExplorer(t *testing.T) {
	t.Parallel()
	tab, _ := openGraphiQL(t)
	tab.Do(
		browsertest.Press(`button[aria-label="Show GraphiQL Explorer"]`),
		browsertest.Await(`document.querySelector('.docExplorerWrap')?.textContent.includes('service')`),
	)
	tab.AssertQuiet()
}

func TestGraphiQLBuildsAQueryInTheExplorer(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(
		browsertest.ReplaceText(queryEditor, "query Built { __typename }"),
		waitForTab("Built"),
		browsertest.Press(`button[aria-label="Show GraphiQL Explorer"]`),
		browsertest.Await(`[...document.querySelectorAll('.docExplorerWrap input')].some((one) => one.value === 'Built')`),
		browsertest.Press(`[data-field-name="service"] > span`),
		browsertest.Press(`[data-field-name="version"] > span`),
		awaitEstimate,
		browsertest.Press(runButton),
		waitForResult(version),
	)
	if asked := strings.Join(strings.Fields(graph.question().Query), " "); asked != "query Built { service { version } }" {
		t.Errorf("the explorer built %q", asked)
	}
	tab.AssertQuiet()
}
