package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
	mux := http.NewServeMux()
	mux.Handle("/graphiql", web.GraphiQL())
	mux.Handle("/graphiql/", web.GraphiQL())
	mux.Handle("/graphql", graph)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	tab := browsertest.Page(t, server.URL+"/graphiql")
	tab.Do(
		chromedp.WaitVisible(queryEditor+" .view-lines"),
		chromedp.WaitVisible(runButton),
	)
	return tab, graph
}

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

// replaceText puts text in place of all that an editor holds, as pasting does,
// and waits until the editor shows it.
func replaceText(editor chromedp.CSS, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		chromedp.Focus(editor+" textarea"),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void document.execCommand('insertText', false, %q)`, text)),
		browsertest.Await(fmt.Sprintf(
			`document.querySelector(%q).textContent.replaceAll('\u00a0', ' ').includes(%q)`, editor+" .view-lines", text)),
	)
}

// traces returns everything that the page leaves behind: both storages, the
// cookies and the address.
func traces(tab *browsertest.Tab) string {
	return browsertest.Get(tab, chromedp.Evaluate[string](
		`JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])`))
}

func TestGraphiQLAnswersAQueryWithTheKeyOfTheBox(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(
		chromedp.SendKeys(keyBox, key),
		browsertest.Press(runButton),
		waitForResult(version),
	)
	if keys := graph.keys(); len(keys) != 1 || keys[0] != key {
		t.Errorf("keys received: %q, want one operation with %q", keys, key)
	}
	if left := traces(tab); strings.Contains(left, key) {
		t.Errorf("the key stays behind in %s", left)
	}
	tab.AssertQuiet()
}

func TestGraphiQLSendsNoKeyHeaderWithoutAKey(t *testing.T) {
	t.Parallel()
	tab, graph := openGraphiQL(t)
	tab.Do(browsertest.Press(runButton), waitForResult(version))
	if keys := graph.keys(); len(keys) != 1 || keys[0] != "" {
		t.Errorf("keys received: %q, want one operation without", keys)
	}
	tab.AssertQuiet()
}

func TestGraphiQLSubscribesWithTheKeyInTheOpeningMessage(t *testing.T) {
	t.Parallel()
	tab, _ := openGraphiQL(t)
	tab.Do(
		chromedp.SendKeys(keyBox, key),
		replaceText(queryEditor, "subscription Greet { greeting }"),
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
		chromedp.WaitVisible(chromedp.CSS(`button.active[data-name="headers"]`)),
		replaceText(`.graphiql-editor-tool > .graphiql-editor:not(.hidden)`, `{"X-Service-Api-Key": "`+key+`"}`),
		replaceText(queryEditor, "query Version { service { version } }"),
		waitForTab("Version"),
		browsertest.Press(runButton),
		waitForResult(version),
		browsertest.Await(`localStorage.getItem('graphiql:queries')?.includes('Version')`),
		browsertest.Await(`localStorage.getItem('graphiql:tabState')?.includes('Version')`),
	)
	if keys := graph.keys(); len(keys) != 1 || keys[0] != key {
		t.Errorf("keys received: %q, want the one of the header editor", keys)
	}
	if left := traces(tab); strings.Contains(left, key) {
		t.Errorf("the header stays behind in %s", left)
	}
	tab.AssertQuiet()
}

func TestGraphiQLUnderlinesAFieldThatTheSchemaLacks(t *testing.T) {
	t.Parallel()
	tab, _ := openGraphiQL(t)
	tab.Do(
		replaceText(queryEditor, "{ service { colour } }"),
		chromedp.WaitVisible(chromedp.CSS(".squiggly-error")),
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
