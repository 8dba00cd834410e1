package browsertest

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// pollInterval is how often a page is asked for what a test waits for. The
// browser draws no frames for a page that it thinks nobody sees, so the
// questions follow a clock and not the frames.
const pollInterval = 20 * time.Millisecond

// focus lets a page believe that it is the one that the visitor looks at, though
// several are.
func focus(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return chromedp.Void{}, err
}

// Await waits until a JavaScript expression is true.
func Await(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Poll[chromedp.Void]("Boolean("+expression+")",
		chromedp.WithPollingInterval(pollInterval), chromedp.WithPollingTimeout(0))
}

// AwaitVisible waits until an element is seen on the page.
func AwaitVisible(element chromedp.CSS) chromedp.Action[chromedp.Void] {
	return Await(fmt.Sprintf(`document.querySelector(%q)?.getClientRects().length`, element))
}

// Press waits until a button is seen and enabled, and presses it in that moment,
// because the page may disable or replace it in the next. It does so through the
// document and not at a place on the screen, so that it cannot miss on a page
// that still moves.
func Press(button chromedp.CSS) chromedp.Action[chromedp.Void] {
	return Await(fmt.Sprintf(`((button) => {
		const ready = button?.getClientRects().length && !button.disabled;
		if (ready) button.click();
		return ready;
	})(document.querySelector(%q))`, button))
}

// ReplaceText puts text in place of all that a Monaco editor holds, as pasting
// does, and waits until the editor shows it.
func ReplaceText(editor chromedp.CSS, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		chromedp.Focus(editor+" textarea"),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)),
		chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void document.execCommand('insertText', false, %q)`, text)),
		Await(fmt.Sprintf(
			`document.querySelector(%q).textContent.replaceAll('\u00a0', ' ').includes(%q)`, editor+" .view-lines", text)),
	)
}
