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

// openReference loads the reference of testdata/openapi.json in a browser. The
// one operation behind it answers with the key that it received.
func openReference(t *testing.T) *browsertest.Tab {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/docs", web.Reference())
	mux.Handle("/docs/", web.Reference())
	mux.HandleFunc("/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, "testdata/openapi.json")
	})
	mux.HandleFunc("/v1/mainnet/status", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"chain":"seen-%s"}`, r.Header.Get("X-Service-Api-Key"))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	tab := browsertest.Page(t, server.URL+"/docs")
	tab.Do(chromedp.WaitVisible(chromedp.CSS("#operations-Status-getStatus")))
	return tab
}

func TestReferenceTriesAnOperationWithTheKeyOfTheBox(t *testing.T) {
	t.Parallel()
	tab := openReference(t)
	tab.Do(
		chromedp.SendKeys(keyBox, key),
		browsertest.Press("#operations-Status-getStatus .opblock-summary-control"),
		browsertest.Press("#operations-Status-getStatus .execute"),
		browsertest.Await(`document.querySelector('.live-responses-table')?.textContent.includes('seen-`+key+`')`),
	)
	if left := traces(tab); strings.Contains(left, key) {
		t.Errorf("the key stays behind in %s", left)
	}
	tab.AssertQuiet()
}

func TestReferenceShowsSchemasAndTheAuthorizeDialog(t *testing.T) {
	t.Parallel()
	tab := openReference(t)
	tab.Do(
		browsertest.Press("section.models .json-schema-2020-12-accordion"),
		browsertest.Await(`document.querySelector('section.models').textContent.includes('finalized')`),
		browsertest.Press(".btn.authorize"),
		chromedp.WaitVisible(chromedp.CSS(".modal-ux")),
	)
	tab.AssertQuiet()
}
