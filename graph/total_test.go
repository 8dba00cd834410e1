package graph

import (
	"fmt"
	"strings"
	"testing"
)

// connections is a query for each list of the schema: ARGS stands for the
// arguments of the page, PAGE for its selection.
var connections = map[string]string{
	"Query.chains":             `chains(ARGS) {PAGE}`,
	"Query.blocks":             `blocks(chain: SN_MAIN ARGS) {PAGE}`,
	"Query.events":             `events(chain: SN_MAIN filter: {addresses: ["` + bridgeAddress + `"]} ARGS) {PAGE}`,
	"PrivacyPool.hourlyPoints": `privacyPool(chain: SN_MAIN) {hourlyPoints(from: "2026-01-01T00:00:00Z" to: "2026-01-02T00:00:00Z" ARGS) {PAGE}}`,
	"PrivacyPool.events":       `privacyPool(chain: SN_MAIN) {events(ARGS) {PAGE}}`,
	"PrivacyPool.commitments":  `privacyPool(chain: SN_MAIN) {commitments(ARGS) {PAGE}}`,
	"PrivacyPool.nullifiers":   `privacyPool(chain: SN_MAIN) {nullifiers(ARGS) {PAGE}}`,
	"Query.messages":           `messages(chain: SN_MAIN ARGS) {PAGE}`,
	"Query.verificationJobs":   `verificationJobs(chain: SN_MAIN ARGS) {PAGE}`,
	"Query.proofJobs":          `proofJobs(ARGS) {PAGE}`,
	"Block.transactions":       `block(chain: SN_MAIN number: 28) {transactions(ARGS) {PAGE}}`,
	"Block.events":             `block(chain: SN_MAIN number: 28) {events(ARGS) {PAGE}}`,
	"Transaction.events":       `transaction(chain: SN_MAIN hash: ` + somewhere + `) {events(ARGS) {PAGE}}`,
	"Transaction.transfers":    `transaction(chain: SN_MAIN hash: ` + somewhere + `) {transfers(ARGS) {PAGE}}`,
	"Contract.events":          `contract(chain: SN_MAIN address: "` + bridgeAddress + `") {events(ARGS) {PAGE}}`,
	"Contract.messages":        `contract(chain: SN_MAIN address: "` + bridgeAddress + `") {messages(ARGS) {PAGE}}`,
	"Contract.bridgeSignals":   `contract(chain: SN_MAIN address: "` + bridgeAddress + `") {bridgeSignals(ARGS) {PAGE}}`,
	"ContractClass.contracts":  `contract(chain: SN_MAIN address: "` + strk + `") {class {contracts(ARGS) {PAGE}}}`,
	"Token.transfers":          `token(chain: SN_MAIN address: "` + strk + `") {transfers(ARGS) {PAGE}}`,
	"Token.holders":            `token(chain: SN_MAIN address: "` + strk + `") {holders(ARGS) {PAGE}}`,
	"Token.pools":              `token(chain: SN_MAIN address: "` + strk + `") {pools(ARGS) {PAGE}}`,
	"Address.activity":         `address(chain: SN_MAIN address: "` + strk + `") {activity(ARGS) {PAGE}}`,
	"Address.transactions":     `address(chain: SN_MAIN address: "` + strk + `") {transactions(ARGS) {PAGE}}`,
	"Address.transfers":        `address(chain: SN_MAIN address: "` + strk + `") {transfers(ARGS) {PAGE}}`,
	"Address.assets":           `address(chain: SN_MAIN address: "` + strk + `") {assets(ARGS) {PAGE}}`,
}

// listed reads a page of a connection and returns it with the number of
// statements.
func (g *servedGraph) listed(t *testing.T, at, after, selected string) (connection map[string]any, statements int) {
	t.Helper()
	arguments := "first: 24" // the largest page of hourly points
	if after != "" {
		arguments += fmt.Sprintf(" after: %q", after)
	}
	a, statements := g.counted(t, "{"+strings.NewReplacer("ARGS", arguments, "PAGE", selected).Replace(at)+"}")
	value := decode(t, a.body.Data)
	for {
		object := value.(map[string]any)
		if _, found := object["pageInfo"]; found {
			return object, statements
		}
		for _, inner := range object {
			value = inner
		}
	}
}

// TestTotalCountIsExactOrMarkedInexact reads every list of the schema
// and counts its items.
func TestTotalCountIsExactOrMarkedInexact(t *testing.T) {
	t.Parallel()
	g := bothFacades(t).servedGraph
	totals := 0
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			name := definition.Name + "." + field.Name
			if !strings.HasSuffix(field.Type.Name(), "Connection") {
				continue
			}
			at, known := connections[name]
			if !known {
				t.Errorf("%s: got no query that reads it, want one", name)
				continue
			}
			if g.totalHolds(t, name, at) {
				totals++
			}
		}
	}
	if totals < 8 {
		t.Errorf("got %d lists with a total, want at least 8", totals)
	}
}

// totalHolds checks the total of a list, and reports whether it has
// one. A total that is not selected costs no statement.
func (g *servedGraph) totalHolds(t *testing.T, name, at string) (hasTotal bool) {
	t.Helper()
	const page = `nodes {__typename} pageInfo {hasNextPage endCursor}`
	first, costly := g.listed(t, at, "", page+" totalCount totalCountExact")
	_, plain := g.listed(t, at, "", page)
	items, after := 0, ""
	for {
		list, _ := g.listed(t, at, after, page)
		items += len(list["nodes"].([]any))
		info := list["pageInfo"].(map[string]any)
		if info["hasNextPage"] == false {
			break
		}
		after = info["endCursor"].(string)
	}
	total, exact := first["totalCount"], first["totalCountExact"] == true
	switch {
	case total == nil && exact:
		t.Errorf("%s: got an exact total of null, want a number or inexact", name)
	case exact && fmt.Sprint(total) != fmt.Sprint(items):
		t.Errorf("%s: got the total %v, want %d", name, total, items)
	case plain > costly:
		t.Errorf("%s: got %d statements without the total, want at most the %d with it", name, plain, costly)
	}
	t.Logf("%s: total %v, exact %v, %d statements, %d without", name, total, exact, costly, plain)
	return total != nil
}

// TestTotalCountIsReadOnlyWhenSelected lists the connections whose total is a
// separate read.
func TestTotalCountIsReadOnlyWhenSelected(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for _, name := range []string{"Transaction.events", "Transaction.transfers", "Token.transfers", "Address.activity"} {
		_, plain := g.listed(t, connections[name], "", "pageInfo {hasNextPage}")
		_, costly := g.listed(t, connections[name], "", "pageInfo {hasNextPage} totalCount")
		if costly <= plain {
			t.Errorf("%s: got %d statements with the total, want more than the %d without it", name, costly, plain)
		}
	}
}
