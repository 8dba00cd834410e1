package graph

import (
	"fmt"
	"strings"
	"testing"
)

// connections is where each list of the schema is found: ARGS stands for which
// page of it, PAGE for what is selected.
var connections = map[string]string{
	"Query.chains":            `chains(ARGS) {PAGE}`,
	"Query.blocks":            `blocks(chain: SN_MAIN ARGS) {PAGE}`,
	"Query.events":            `events(chain: SN_MAIN filter: {addresses: ["` + bridgeAddress + `"]} ARGS) {PAGE}`,
	"Query.messages":          `messages(chain: SN_MAIN ARGS) {PAGE}`,
	"Block.transactions":      `block(chain: SN_MAIN number: 28) {transactions(ARGS) {PAGE}}`,
	"Block.events":            `block(chain: SN_MAIN number: 28) {events(ARGS) {PAGE}}`,
	"Transaction.events":      `transaction(chain: SN_MAIN hash: ` + somewhere + `) {events(ARGS) {PAGE}}`,
	"Transaction.transfers":   `transaction(chain: SN_MAIN hash: ` + somewhere + `) {transfers(ARGS) {PAGE}}`,
	"Contract.events":         `contract(chain: SN_MAIN address: "` + bridgeAddress + `") {events(ARGS) {PAGE}}`,
	"Contract.messages":       `contract(chain: SN_MAIN address: "` + bridgeAddress + `") {messages(ARGS) {PAGE}}`,
	"Contract.bridgeSignals":  `contract(chain: SN_MAIN address: "` + bridgeAddress + `") {bridgeSignals(ARGS) {PAGE}}`,
	"ContractClass.contracts": `contract(chain: SN_MAIN address: "` + strk + `") {class {contracts(ARGS) {PAGE}}}`,
	"Token.transfers":         `token(chain: SN_MAIN address: "` + strk + `") {transfers(ARGS) {PAGE}}`,
	"Token.holders":           `token(chain: SN_MAIN address: "` + strk + `") {holders(ARGS) {PAGE}}`,
	"Token.pools":             `token(chain: SN_MAIN address: "` + strk + `") {pools(ARGS) {PAGE}}`,
	"Address.activity":        `address(chain: SN_MAIN address: "` + strk + `") {activity(ARGS) {PAGE}}`,
	"Address.transactions":    `address(chain: SN_MAIN address: "` + strk + `") {transactions(ARGS) {PAGE}}`,
	"Address.transfers":       `address(chain: SN_MAIN address: "` + strk + `") {transfers(ARGS) {PAGE}}`,
	"Address.assets":          `address(chain: SN_MAIN address: "` + strk + `") {assets(ARGS) {PAGE}}`,
}

// listed asks for a page of a connection and returns the connection and how
// many statements that took.
func (g *servedGraph) listed(t *testing.T, at, after, selected string) (connection map[string]any, statements int) {
	t.Helper()
	arguments := "first: 50"
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

// TestTotalCountIsExactOrMarkedInexact walks through every list of the schema
// and counts.
func TestTotalCountIsExactOrMarkedInexact(t *testing.T) {
	t.Parallel()
	g := bothFacades(t).servedGraph
	told := 0
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			name := definition.Name + "." + field.Name
			if !strings.HasSuffix(field.Type.Name(), "Connection") {
				continue
			}
			at, known := connections[name]
			if !known {
				t.Errorf("nobody knows where %s is found", name)
				continue
			}
			if g.totalHolds(t, name, at) {
				told++
			}
		}
	}
	if told < 8 {
		t.Errorf("only %d lists tell their size", told)
	}
}

// totalHolds checks the size that a list tells, and reports whether it tells
// one. What was not asked for costs no statement.
func (g *servedGraph) totalHolds(t *testing.T, name, at string) (told bool) {
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
		t.Errorf("%s: nothing is told, exactly", name)
	case exact && fmt.Sprint(total) != fmt.Sprint(items):
		t.Errorf("%s tells %v and has %d", name, total, items)
	case plain > costly:
		t.Errorf("%s: %d statements without its size and %d with it", name, plain, costly)
	}
	t.Logf("%s: total %v, exact %v, %d statements, %d without", name, total, exact, costly, plain)
	return total != nil
}

// TestTotalCountIsReadOnlyWhenSelected names the lists whose size is another
// read.
func TestTotalCountIsReadOnlyWhenSelected(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for _, name := range []string{"Transaction.events", "Transaction.transfers", "Token.transfers", "Address.activity"} {
		_, plain := g.listed(t, connections[name], "", "pageInfo {hasNextPage}")
		_, costly := g.listed(t, connections[name], "", "pageInfo {hasNextPage} totalCount")
		if costly <= plain {
			t.Errorf("%s: %d statements without its size and %d with it", name, plain, costly)
		}
	}
}
