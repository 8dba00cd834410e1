package browsertest

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is the time limit of the start of a browser and of every action. It
// detects what hangs, not what is slow: an action usually takes less than a
// second, but several on a busy machine.
const patience = 2 * time.Minute

// Tab is a page that is open in a browser. It belongs to the goroutine of its
// test.
type Tab struct {
	t    testing.TB
	ctx  context.Context
	wall *wall

	nextMessage func() (chromedp.ConsoleMessage, error, bool)
	errors      []string
	marks       int
}

// Page opens a URL in its own profile, which ends with the test. It skips or
// fails the test if there is no Chromium, and fails it if the page does not
// load.
func Page(t testing.TB, address string) *Tab {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatalf("address of the page: %v", err)
	}
	wall := newWall(t)
	ctx, cancel := chromedp.NewContext(useBrowser(t), behind(wall.url, parsed.Host))
	t.Cleanup(cancel)

	nextMessage, stop := iter.Pull2(chromedp.Console(ctx))
	t.Cleanup(stop)
	tab := &Tab{t: t, ctx: ctx, wall: wall, nextMessage: nextMessage}
	tab.Do(focus, chromedp.Navigate(address))
	return tab
}

// Do runs the actions in order and fails the test at the first that does not
// succeed in time.
func (tab *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	for i, action := range actions {
		if _, err := run(tab, action); err != nil {
			tab.t.Fatalf("in the browser, action %d of %d: %v; %s", i+1, len(actions), err, tab.sight())
		}
	}
}

// Get runs an action that has a value and returns it, or fails the test.
func Get[T any](tab *Tab, action chromedp.Action[T]) T {
	tab.t.Helper()
	value, err := run(tab, action)
	if err != nil {
		tab.t.Fatalf("in the browser: %v; %s", err, tab.sight())
	}
	return value
}

func run[T any](tab *Tab, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(tab.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, action)
}

// sight describes what the page currently shows, for failure messages.
func (tab *Tab) sight() string {
	text, err := run(tab, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return fmt.Sprintf("the page cannot be asked what it shows: %v", err)
	}
	return "the page shows:\n" + text
}

// ConsoleErrors returns the errors on the console so far: logged ones, uncaught
// exceptions, failed requests and violated policies.
func (tab *Tab) ConsoleErrors() []string {
	tab.t.Helper()
	tab.marks++
	mark := fmt.Sprintf("browsertest mark %d", tab.marks)
	tab.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("console.debug(%q)", mark)))
	for {
		message, err, more := tab.nextMessage()
		switch {
		case err != nil || !more:
			tab.t.Fatalf("console ended: %v", err)
		case message.Text == mark:
			return slices.Clone(tab.errors)
		case message.IsException() || message.Type == chromedp.ConsoleError:
			tab.errors = append(tab.errors, fmt.Sprintf("%s (%s)", message.Text, message.URL))
		}
	}
}

// OutsideRequests returns the requests so far to other hosts than the page's,
// from the page or its workers.
func (tab *Tab) OutsideRequests() []string {
	return tab.wall.refusals()
}

// AssertQuiet reports every console error and every outside request as an error
// of the test.
func (tab *Tab) AssertQuiet() {
	tab.t.Helper()
	for _, message := range tab.ConsoleErrors() {
		tab.t.Errorf("got the console error %s, want none", message)
	}
	for _, request := range tab.OutsideRequests() {
		tab.t.Errorf("got a request to another host: %s, want none", request)
	}
}
