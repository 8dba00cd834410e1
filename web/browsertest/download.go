package browsertest

import (
	"context"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// Download runs an action that makes the page save a file, and returns the name
// and the content of the file.
func (tab *Tab) Download(action chromedp.Action[chromedp.Void]) (name, content string) {
	tab.t.Helper()
	folder := tab.t.TempDir()
	ctx, cancel := context.WithTimeout(tab.ctx, patience)
	defer cancel()
	progress := chromedp.BrowserEvents(ctx, browser.DownloadProgress)
	_, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder, EventsEnabled: new(true),
		BrowserContextID: chromedp.FromContext(tab.ctx).BrowserContextID,
	})
	if err != nil {
		tab.t.Fatalf("allow downloads: %v", err)
	}
	tab.Do(action)
	for event, err := range progress {
		if err != nil {
			tab.t.Fatalf("the page saved nothing: %v; %s", err, tab.sight())
		}
		if event.State == browser.DownloadProgressStateCompleted && filepath.Dir(event.FilePath) == folder {
			break // the rest are files of other pages
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		tab.t.Fatalf("the page saved %v: %v", files, err)
	}
	saved, err := os.ReadFile(filepath.Join(folder, files[0].Name()))
	if err != nil {
		tab.t.Fatal(err)
	}
	return files[0].Name(), string(saved)
}
