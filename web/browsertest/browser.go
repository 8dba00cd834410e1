package browsertest

import (
	"context"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// shared is the Chromium of all pages of the process. It starts with the first
// page and ends with the last.
var shared struct {
	sync.Mutex
	pages int
	ctx   context.Context
	end   func()
}

// useBrowser returns the context of the browser, which runs until the end of
// the test.
func useBrowser(t testing.TB) context.Context {
	t.Helper()
	executable := chromium(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.pages == 0 {
		allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), flags(executable)...)
		ctx, endBrowser := chromedp.NewContext(allocator)
		shared.ctx, shared.end = ctx, func() { endBrowser(); endAllocator() }
		if err := chromedp.Do(ctx); err != nil {
			shared.end()
			t.Fatalf("start %s: %v", executable, err)
		}
	}
	shared.pages++
	t.Cleanup(func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.pages--; shared.pages == 0 {
			shared.end()
		}
	})
	return shared.ctx
}
