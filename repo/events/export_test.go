package events

import (
	"fmt"

	"astrolabe/domain"
)

// Statements are exported for the test of their plans, with lists of 25 events
// of SN_MAIN and of its first certificate.
var Statements = func() map[string]string {
	const rows = 26
	search := func(a anchor, template string) string { return a.statement(template, domain.Mainnet, rows) }
	from := func(a anchor, template string) string { return oldestFirst(a, template, domain.Mainnet, rows) }
	cover := func(template string) string { return fmt.Sprintf(template, 1, rows, positions(1), matching) }
	return map[string]string{
		"transactions":      ofTransactions(domain.Mainnet, rows),
		"blocks":            ofBlocks(domain.Mainnet, rows),
		"contracts":         ofContracts(domain.Mainnet, false, 25),
		"contracts by keys": ofContracts(domain.Mainnet, true, 25),
		"by selectors":      bySelectors(domain.Mainnet, 25),
		"emitters":          fmt.Sprintf(emittersOf, 1),
		"selector":          search(bySelector, newestOfAnchors),
		"address":           search(byAddress, newestOfAnchors),
		"pair":              search(byPair, newestOfAnchors),
		"one selector":      search(bySelector, newestOfOne),
		"one address":       search(byAddress, newestOfOne),
		"one pair":          search(byPair, newestOfOne),
		"one selector, on":  from(bySelector, newestOfOne),
		"one address, on":   from(byAddress, newestOfOne),
		"one pair, on":      from(byPair, newestOfOne),
		"selector and keys": search(bySelector, newestWithKeys),
		"pair and keys":     search(byPair, newestWithKeys),
		"selector, on":      from(bySelector, newestOfAnchors),
		"address, on":       from(byAddress, newestOfAnchors),
		"pair, on":          from(byPair, newestOfAnchors),
		"keys, on":          from(bySelector, newestWithKeys),
		"last of selector":  search(bySelector, lastOfAnchors),
		"last of pair":      search(byPair, lastOfAnchors),
		"covered":           cover(newestCovered),
		"covered and keys":  cover(newestCoveredWithKeys),
		"last covered":      cover(lastCovered),
		"count covered":     cover(countCovered),
	}
}()
