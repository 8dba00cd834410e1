package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"astrolabe/web/browsertest"
)

// lists is a result with lists in it: a connection of edges whose items have a
// connection of nodes. The symbols would be formulas to a spreadsheet.
const lists = `{"data": {"blocks": {"totalCount": 2, "edges": [
  {"cursor": "a", "node": {"timestampIso": "2026-01-01T00:00:10Z", "txCount": 3, "fees": {"total": "340282366920938463463374607431768211456"},
    "tags": ["x", "y"], "transfers": {"nodes": [{"symbol": "=HYPERLINK(\"http://a\")", "amount": "-5"}, {"symbol": "a \"b\",\nc", "amount": "9"}]}}},
  {"cursor": "b", "node": {"timestampIso": "2026-01-01T00:00:00Z", "txCount": 1, "fees": null,
    "tags": [], "transfers": {"nodes": [{"symbol": "@sum", "amount": "7"}]}}}]}},
  "extensions": {"cost": {"requested": 1234, "limit": 9999}}}`

const blocksCSV = `"cursor","timestampIso","txCount","fees.total","tags"` + "\r\n" +
	`"a","2026-01-01T00:00:10Z",3,"340282366920938463463374607431768211456","[""x"",""y""]"` + "\r\n" +
	`"b","2026-01-01T00:00:00Z",1,,` + "\r\n"

const transfersCSV = `"blocks.cursor","blocks.timestampIso","blocks.txCount","blocks.fees.total","blocks.tags","symbol","amount"` + "\r\n" +
	`"a","2026-01-01T00:00:10Z",3,"340282366920938463463374607431768211456","[""x"",""y""]","'=HYPERLINK(""http://a"")","-5"` + "\r\n" +
	`"a","2026-01-01T00:00:10Z",3,"340282366920938463463374607431768211456","[""x"",""y""]","a ""b"",` + "\n" + `c","9"` + "\r\n" +
	`"b","2026-01-01T00:00:00Z",1,,,"'@sum","7"` + "\r\n"

const blocksJSON = `[
  {
    "cursor": "a",
    "timestampIso": "2026-01-01T00:00:10Z",
    "txCount": 3,
    "fees.total": "340282366920938463463374607431768211456",
    "tags": "[\"x\",\"y\"]"
  },
  {
    "cursor": "b",
    "timestampIso": "2026-01-01T00:00:00Z",
    "txCount": 1,
    "fees.total": null,
    "tags": null
  }
]
`

// pressNamed clicks the button with this text below the result.
func pressNamed(text string) chromedp.Action[chromedp.Void] {
	return browsertest.Await(fmt.Sprintf(`((button) => (button?.click(), button))(
		[...document.querySelectorAll('.graphiql-footer button:enabled')].find((one) => one.textContent === %q))`, text))
}

// choose selects an option of the select element with this label.
func choose(label, option string) chromedp.Action[chromedp.Void] {
	return browsertest.Await(fmt.Sprintf(`((select) => {
		if (!select) return false;
		Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(select, %q);
		select.dispatchEvent(new Event('change', {bubbles: true}));
		return select.value === %[1]q;
	})([...document.querySelectorAll('.choice')].find((one) => one.firstChild.textContent === %[2]q)?.querySelector('select'))`, option, label))
}

// awaitText waits until an element has this text.
func awaitText(element chromedp.CSS, text string) chromedp.Action[chromedp.Void] {
	return browsertest.Await(fmt.Sprintf(`document.querySelector(%q)?.textContent === %q`, element, text))
}

func TestGraphiQLExportsAndChartsTheListsOfAResult(t *testing.T) {
	t.Parallel()
	tab := openGraphiQLAt(t, &graphqlServer{result: lists}, "#query=%7Blists%7D")
	tab.Do(
		awaitText(".cost-before", "Cost 7"),
		browsertest.Press(runButton),
		awaitText(".cost-after", "Last run 1,234"),
		awaitText(".cost-budget", "598,765 of 600,000 left"),
		awaitText(".results-count", "2 rows"),
	)
	saves(t, tab, "CSV", "blocks.csv", blocksCSV)
	saves(t, tab, "JSON", "blocks.json", blocksJSON)

	tab.Do(
		pressNamed("Chart"),
		awaitText(".chart figcaption", "txCount of blocks: 2 values from 2026-01-01 00:00:00 UTC to 2026-01-01 00:00:10 UTC; least 1, greatest 3, last 3."),
		browsertest.Await(`((line) => {
			const [first, last] = line?.getAttribute('points').split(' ').map((point) => point.split(',').map(Number)) ?? [];
			return first?.[0] < last?.[0] && first?.[1] > last?.[1];
		})(document.querySelector('.chart-line'))`), // to the right and up
		browsertest.Await(`[...document.querySelectorAll('.chart-tick text')].map((one) => one.textContent).join() === '0,1,2,3'`),
		choose("Value", "fees.total"),
		awaitCaption("fees.total of blocks: 1 value ", "greatest 3.4e38"),
		choose("List", "blocks.transfers"),
		awaitText(".results-count", "3 rows"),
	)
	saves(t, tab, "CSV", "blocks.transfers.csv", transfersCSV)
	tab.Do(
		awaitCaption("amount of blocks.transfers (sum): 2 values", "least 4, greatest 7, last 4"),
		choose("Values with equal times", "each"),
		awaitCaption("amount of blocks.transfers (each): 3 values", "least -5, greatest 9, last 9"),
	)
	tab.AssertQuiet()
}

// paid is a result with fees in two units, amounts of two tokens of the same
// name, and a value of each block above its transactions.
const paid = `{"data": {"blocks": {"nodes": [
  {"timestampIso": "2026-01-01T00:00:00Z", "txCount": 3, "l2GasPrice": {"priceInFri": "7"}, "transactions": {"nodes": [
    {"receipt": {"actualFeeRaw": "1500000000000000000", "feeUnit": "FRI"}, "amount": "25", "token": {"address": "0x1", "symbol": "STRK", "decimals": 1}},
    {"receipt": {"actualFeeRaw": "500000000000000000", "feeUnit": "FRI"}, "amount": "5", "token": {"address": "0x1", "symbol": "STRK", "decimals": 1}},
    {"receipt": {"actualFeeRaw": "2000000000000000", "feeUnit": "WEI"}, "amount": "9", "token": {"address": "0x2", "symbol": "STRK", "decimals": 0}}]}},
  {"timestampIso": "2026-01-01T00:00:10Z", "txCount": 1, "l2GasPrice": {"priceInFri": "9"}, "transactions": {"nodes": [
    {"receipt": {"actualFeeRaw": "3000000000000000000", "feeUnit": "FRI"}, "amount": "10", "token": {"address": "0x1", "symbol": "STRK", "decimals": 1}}]}}]}},
  "extensions": {"cost": {"requested": 1, "limit": 9}}}`

// chart draws a list of a result.
func chart(t *testing.T, result, list string) *browsertest.Tab {
	t.Helper()
	tab := openGraphiQLAt(t, &graphqlServer{result: result}, "#query=%7Blists%7D")
	tab.Do(
		awaitText(".cost-before", "Cost 7"), browsertest.Press(runButton), awaitText(".results-count", "2 rows"),
		pressNamed("Chart"), choose("List", list),
	)
	return tab
}

func TestChartNeverSumsAcrossUnits(t *testing.T) {
	t.Parallel()
	tab := chart(t, paid, "blocks.transactions")
	tab.Do(
		choose("Value", "receipt.actualFeeRaw"),
		awaitCaption("receipt.actualFeeRaw of blocks.transactions (sum) in STRK, 18 decimals: 2 values", "least 2, greatest 3, last 3."),
		awaitText(".chart-unit", "STRK"),
		choose("Unit", "ETH, 18 decimals"),
		awaitCaption("receipt.actualFeeRaw of blocks.transactions in ETH, 18 decimals: 1 value ", "greatest 0.002,"),
		choose("Value", "amount"),
		awaitCaption("amount of blocks.transactions (sum) in STRK 0x1, 1 decimal: 2 values", "least 1, greatest 3, last 1."),
		choose("Unit", "STRK 0x2 (smallest unit)"),
		awaitCaption("in STRK 0x2 (smallest unit): 1 value ", "greatest 9,"),
	)
	tab.AssertQuiet()
}

func TestChartDoesNotSumFeesOfUnknownUnits(t *testing.T) {
	t.Parallel()
	tab := chart(t, strings.NewReplacer(`, "feeUnit": "FRI"`, "", `, "feeUnit": "WEI"`, "").Replace(paid), "blocks.transactions")
	tab.Do(
		choose("Value", "receipt.actualFeeRaw"),
		awaitCaption("receipt.actualFeeRaw of blocks.transactions (each) in unknown units (request feeUnit, too): 4 values"),
	)
	tab.AssertQuiet()
}

func TestChartCountsTheValueOfAParentOnce(t *testing.T) {
	t.Parallel()
	tab := chart(t, paid, "blocks.transactions")
	tab.Do(
		choose("Value", "blocks.txCount"),
		awaitCaption("blocks.txCount of blocks.transactions: 2 values", "least 1, greatest 3, last 1."),
		choose("Value", "blocks.l2GasPrice.priceInFri"),
		awaitCaption("blocks.l2GasPrice.priceInFri of blocks.transactions in fri: 2 values", "least 7, greatest 9, last 9."),
	)
	tab.AssertQuiet()
}

// awaitCaption waits until the chart's caption contains the words.
func awaitCaption(words ...string) chromedp.Action[chromedp.Void] {
	steps := make([]chromedp.Action[chromedp.Void], len(words))
	for i, one := range words {
		steps[i] = browsertest.Await(fmt.Sprintf(`document.querySelector('.chart figcaption')?.textContent.includes(%q)`, one))
	}
	return chromedp.Steps(steps...)
}

// saves clicks a button and compares the file that the page saves.
func saves(t *testing.T, tab *browsertest.Tab, button, name, content string) {
	t.Helper()
	gotName, got := tab.Download(pressNamed(button))
	if gotName != name || got != content {
		t.Errorf("%s: got the file %s:\n%s\nwant %s:\n%s", button, gotName, got, name, content)
	}
}
