package browsertest

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// pollInterval is how often a page is polled for the condition that a test
// waits for. It is a timer, because the browser draws no frames for a page in
// the background.
const pollInterval = 20 * time.Millisecond

// focus makes a page behave as if it were the focused one, although several are
// open.
func focus(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return chromedp.Void{}, err
}

// Await waits until a JavaScript expression is true.
func Await(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Poll[chromedp.Void]("Boolean("+expression+")",
		chromedp.WithPollingInterval(pollInterval), chromedp.WithPollingTimeout(0))
}

// AwaitVisible waits until an element is visible.
func AwaitVisible(element chromedp.CSS) chromedp.Action[chromedp.Void] {
	return Await(fmt.Sprintf(`document.querySelector(%q)?.getClientRects().length`, element))
}

// Press waits until a button is visible and enabled, and clicks it immediately,
// because the page may disable or replace it. It clicks through the DOM and not
// at screen coordinates, so it cannot miss while the page moves.
func Press(button chromedp.CSS) chromedp.Action[chromedp.Void] {
	return Await(fmt.Sprintf(`((button) => {
		const ready = button?.getClientRects().length && !button.disabled;
		if (ready) button.click();
		return ready;
	})(document.querySelector(%q))`, button))
}

// ReplaceText replaces the content of a Monaco editor, as pasting does, and
// waits until the editor shows it.
func ReplaceText(editor chromedp.CSS, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		chromedp.Focus(editor+" textarea"),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void document.execCommand('insertText', false, %q)`, text)),
		Await(fmt.Sprintf(
			`document.querySelector(%q).textContent.replaceAll('\u00a0', ' ').includes(%q)`, editor+" .view-lines", text)),
	)
}
