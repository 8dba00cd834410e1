package browsertest

import (
	"fmt"

	"github.com/chromedp/chromedp"
)

// Press waits for a button and presses it. It does so through the document and
// not at a place on the screen, so that it cannot miss on a page that still
// moves.
func Press(button chromedp.CSS) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		chromedp.WaitVisible(button),
		chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).click()`, button)),
	)
}

// Await waits until a JavaScript expression is true.
func Await(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Poll[chromedp.Void](expression)
}
