package browsertest

import (
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// requireBrowser is the environment variable that makes a missing Chromium fail
// the test.
const requireBrowser = "ASTROLABE_REQUIRE_BROWSER"

// chromium finds the browser, or skips the test, or fails it if the environment
// requires a browser.
func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell"} {
		if file, err := exec.LookPath(name); err == nil {
			return file
		}
	}
	if os.Getenv(requireBrowser) == "1" {
		t.Fatalf("no Chromium on the PATH, and %s=1 requires one", requireBrowser)
	}
	t.Skipf("no Chromium on the PATH; set %s=1 to make this a failure", requireBrowser)
	return ""
}

// nowhere is a proxy that does not exist. It gets the browser's requests
// outside of the page's profile, because no set of flags suppresses them in
// every version.
const nowhere = "http://127.0.0.1:9"

// flags are the options of Chromium, which work for any user and on any
// machine.
func flags(executable string) []chromedp.ExecAllocatorOption {
	return append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(executable),
		chromedp.WSURLReadTimeout(patience),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.WindowSize(1400, 900),
		chromedp.ProxyServer(nowhere),
		chromedp.Flag("disable-features", "Translate,AutofillServerCommunication"),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
	)
}

// behind gives a page its own profile, in which every request goes through the
// proxy, also to other ports of loopback, except requests to the page's host.
func behind(proxy, host string) chromedp.ContextOption {
	return chromedp.WithNewBrowserContext(func(p *target.CreateBrowserContextParams) {
		p.ProxyServer = proxy
		p.ProxyBypassList = "<-loopback>;" + host
	})
}
