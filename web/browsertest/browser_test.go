package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"astrolabe/web/browsertest"
)

// serve serves the same HTML at every path.
func serve(t *testing.T, html string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, `<!doctype html><link rel="icon" href="data:,">`+html)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestValidPageReportsNothing(t *testing.T) {
	t.Parallel()
	tab := browsertest.Page(t, serve(t, `<p id="p">hello</p><script>fetch('/again')</script>`))
	if text := browsertest.Get(tab, chromedp.Text(chromedp.CSS("#p"))); text != "hello" {
		t.Errorf("text = %q, want hello", text)
	}
	tab.AssertQuiet()
}

func TestPageErrorsAreReported(t *testing.T) {
	t.Parallel()
	tab := browsertest.Page(t, serve(t, `<script>console.error('logged', 7)</script><script>throw new Error('thrown')</script>`))
	all := strings.Join(tab.ConsoleErrors(), "\n")
	for _, want := range []string{"logged 7", "thrown"} {
		if !strings.Contains(all, want) {
			t.Errorf("got the console errors %q, want %q", all, want)
		}
	}
}

func TestRequestsToOtherHostsAreReported(t *testing.T) {
	t.Parallel()
	other := serve(t, "")
	tab := browsertest.Page(t, serve(t, `<p id="p"></p><script>
		const ask = (address) => fetch(address, {mode: 'no-cors'}).catch(() => {});
		const source = "fetch('http://worker.example/', {mode: 'no-cors'}).catch(() => {}).then(() => postMessage(1))";
		const worker = new Worker(URL.createObjectURL(new Blob([source])));
		const answered = new Promise((done) => { worker.onmessage = done; });
		Promise.all([ask('http://page.example/'), ask('`+other+`/elsewhere'), answered]).then(() => { p.textContent = 'done'; });
	</script>`))
	tab.Do(browsertest.Await(`document.querySelector('#p').textContent === 'done'`))
	outside := tab.OutsideRequests()
	for _, want := range []string{"GET http://page.example/", "GET " + other + "/elsewhere", "GET http://worker.example/"} {
		if !slices.Contains(outside, want) {
			t.Errorf("got the outside requests %q, want %q", outside, want)
		}
	}
	if len(outside) != 3 {
		t.Errorf("got the outside requests %q, want only those of the page", outside)
	}
}

func TestClickWaitsUntilTheButtonIsEnabled(t *testing.T) {
	t.Parallel()
	tab := browsertest.Page(t, serve(t, `<button id="b" disabled onclick="this.textContent = 'pressed'">wait</button>`))
	tab.Do(
		chromedp.Evaluate[chromedp.Void](`void setTimeout(() => { b.disabled = false; }, 300)`),
		browsertest.Press("#b"),
	)
	if text := browsertest.Get(tab, chromedp.Text(chromedp.CSS("#b"))); text != "pressed" {
		t.Errorf("got the button %q, want pressed", text)
	}
	tab.AssertQuiet()
}
