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
