package main

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"astrolabe/pg/pgtest"
	"astrolabe/web/browsertest"
)

// TestThePagesWorkInABrowser opens the pages of a running program as a person
// would: GraphiQL answers a query and follows a subscription, the reference
// tries an operation, and neither makes a request to another origin or writes
// an error to the console.
func TestThePagesWorkInABrowser(t *testing.T) {
	t.Parallel()
	base := up(t, filepath.Join(pgtest.Dir(t), "data")).ready(t)

	console := browsertest.Page(t, base+"/graphiql")
	console.Do(
		chromedp.WaitVisible(chromedp.CSS(".graphiql-query-editor .view-lines")),
		browsertest.Press(".graphiql-execute-button"),
		browsertest.Await(`document.querySelector('.graphiql-response')?.textContent.includes('development')`),
	)
	console.AssertQuiet()

	reference := browsertest.Page(t, base+"/docs")
	reference.Do(
		browsertest.Press("#operations-Chain-getStatus .opblock-summary-control"),
		browsertest.Press("#operations-Chain-getStatus .execute"),
		browsertest.Await(`document.querySelector('.live-responses-table')?.textContent.includes('no_indexer')`),
	)
	reference.AssertQuiet()
}
