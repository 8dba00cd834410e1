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

// openReference loads the reference of testdata/openapi.json in a browser. Its
// only operation returns the key or the token that it received.
func openReference(t *testing.T) *browsertest.Tab {
	t.Helper()
	mux := http.NewServeMux()
	token := func(*http.Request) string { return tokenNumber(1) }
	mux.Handle("/docs", web.Reference(token))
	mux.Handle("/docs/", web.Reference(token))
	mux.HandleFunc("/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, "testdata/openapi.json")
	})
	mux.HandleFunc("/v1/mainnet/status", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"chain":"seen-%s-%s"}`, r.Header.Get("X-Service-Api-Key"), r.Header.Get("X-Service-Page-Token"))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	tab := browsertest.Page(t, server.URL+"/docs")
	tab.Do(browsertest.AwaitVisible("#operations-Status-getStatus"))
	return tab
}

// waitForAnswer polls until the page shows the credentials that the server
// received.
func waitForAnswer(seen credentials) chromedp.Action[chromedp.Void] {
	return browsertest.Await(fmt.Sprintf(
		`document.querySelector('.live-responses-table')?.textContent.includes('"seen-%s-%s"')`, seen.Key, seen.Token))
}

// requireShareable checks that the displayed command has a placeholder for the
// key and no secret.
func requireShareable(t *testing.T, tab *browsertest.Tab) {
	t.Helper()
	command := browsertest.Get(tab, chromedp.Text(chromedp.CSS(".curl-command")))
	if !strings.Contains(command, "X-Service-Api-Key: YOUR_API_KEY") {
		t.Errorf("got the command %s, want a placeholder for the key", command)
	}
	for _, secret := range []string{key, "page-token", "Page-Token"} {
		if strings.Contains(command, secret) {
			t.Errorf("got %s in the command %s, want no secret", secret, command)
		}
	}
}

// executeAtOnce opens the operation and executes it as soon as the page allows
// it, which is faster than any user. It reports whether the page knew the
// operation's parameter by then.
var executeAtOnce = chromedp.Evaluate[bool](`new Promise((done) => {
	const operation = document.querySelector('#operations-Status-getStatus');
	new MutationObserver((_, observer) => {
		const button = operation.querySelector('.execute:enabled');
		if (!button) return;
		observer.disconnect();
		done(operation.querySelector('[data-param-name="chain"]') !== null);
		button.click();
	}).observe(operation, {childList: true, subtree: true, attributes: true});
	operation.querySelector('.opblock-summary-control').click();
})`, chromedp.EvalAwaitPromise)

func TestReferenceSendsARequestWithAndWithoutTheEnteredKey(t *testing.T) {
	t.Parallel()
	tab := openReference(t)
	if !browsertest.Get(tab, executeAtOnce) {
		t.Fatal("got an operation executed before its parameter is known, want it disabled until then")
	}
	tab.Do(waitForAnswer(credentials{Token: tokenNumber(1)}))
	requireShareable(t, tab)

	tab.Do(
		chromedp.SendKeys(keyBox, key),
		browsertest.Press("#operations-Status-getStatus .execute"),
		waitForAnswer(credentials{Key: key}),
	)
	requireShareable(t, tab)
	if left := traces(tab); strings.Contains(left, key) || strings.Contains(left, "page-token") {
		t.Errorf("got the key or the token stored in %s, want neither", left)
	}
	tab.AssertQuiet()
}

func TestReferenceShowsSchemasAndSendsARequestWithAnAuthorizedKey(t *testing.T) {
	t.Parallel()
	tab := openReference(t)
	tab.Do(
		browsertest.Press("section.models .json-schema-2020-12-accordion"),
		browsertest.Await(`document.querySelector('section.models').textContent.includes('finalized')`),
		browsertest.Press(".btn.authorize"),
		browsertest.AwaitVisible(".modal-ux"),
		chromedp.SendKeys(chromedp.CSS(".auth-container input[type=text]"), key),
		browsertest.Press(".auth-btn-wrapper .authorize"),
		browsertest.Press(".btn-done"),
		browsertest.Press("#operations-Status-getStatus .opblock-summary-control"),
		browsertest.Press("#operations-Status-getStatus .execute"),
		waitForAnswer(credentials{Key: key}),
	)
	requireShareable(t, tab)
	tab.AssertQuiet()
}
