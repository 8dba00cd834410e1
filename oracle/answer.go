package oracle

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/starknet"
)

// Request is a read of the contract.
type Request struct {
	Path  string // after /v1/{chain}/
	Query url.Values
	Body  any // of a POST; nil for a GET
	// Wallet is true for a wallet workspace, which may use wide searches.
	Wallet bool
	// Offset is the number of rows on the previous pages. The model has no
	// cursors.
	Offset int
}

func (r Request) method() string {
	if r.Body != nil {
		return http.MethodPost
	}
	return http.MethodGet
}

// Answer is the expected response of the service: a body, or an error code.
type Answer struct {
	Status int
	Body   any
	Code   string
	// Rows is the total number of rows in the list.
	Rows int
}

// More replaces the cursor of the service in an answer.
const More = "more"

func found(body any) Answer { return Answer{Status: http.StatusOK, Body: body} }

var notFound, invalid = Answer{Status: http.StatusNotFound, Code: "not_found"}, Answer{Status: http.StatusBadRequest, Code: "invalid_request"}

// Answer computes the response to a request.
func (m *Model) Answer(r Request) Answer {
	parts := strings.Split(r.Path, "/")
	switch route := parts[0]; {
	case route == "blocks":
		return pageOf(m, r, 25, 200, newestFirst(pointers(m.Blocks)), m.blockItem, m.covered(nil))
	case route == "block":
		return m.block(r, parts[1:])
	case route == "block-at-timestamp":
		return m.blockAtTimestamp(r.Query)
	case r.Path == "tx/previews":
		return m.batch(r, "hashes", m.preview)
	case route == "tx":
		t := m.txByHash(felt(parts[1]))
		limit, ok := limitOf(r.Query, "log_limit", 96, 1000)
		switch {
		case !ok:
			return invalid
		case t == nil:
			return notFound
		}
		return found(m.txBody(t, limit))
	case route == "events":
		return m.searchEvents(r, nil)
	case route == "privacy-pool":
		return m.privacy(r, strings.Join(parts[1:], "/"))
	case route == "messages":
		return m.listMessages(r, nil)
	case route == "contract":
		return m.contract(r, felt(parts[1]), parts[2:])
	case route == "token":
		return m.token(r, felt(parts[1]), parts[2:])
	case r.Path == "address/summaries":
		return m.batch(r, "addresses", m.summary)
	case r.Path == "address/intelligence":
		return m.batch(r, "addresses", m.intelligence)
	case r.Path == "query/wallet-state":
		return m.wallet(r.Body.(map[string]any))
	case r.Path == "search":
		return m.search(r.Query.Get("q"))
	case r.Path == "status":
		return m.status()
	case route == "address" && parts[2] == "attribution":
		return m.attribution(parts[1])
	case route == "address":
		return m.address(r, felt(parts[1]), parts[2])
	}
	panic(fmt.Sprintf("the model has no route %s", r.Path))
}

func pointers[T any](list []T) (all []*T) {
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

func felt(text string) starknet.Felt { return starknet.MustFelt(text) }

func parseNumber(text string) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 53)
	return n, err == nil
}

// limitOf parses a limit.
func limitOf(q url.Values, name string, standard, most int) (int, bool) {
	if !q.Has(name) {
		return standard, true
	}
	n, err := strconv.Atoi(q.Get(name))
	return n, err == nil && n >= 1 && n <= most
}

// bounds parses from_block and to_block, which must be in order.
func bounds(q url.Values) (from, to *uint64, ok bool) {
	if n, given := parseNumber(q.Get("from_block")); given {
		from = &n
	}
	if n, given := parseNumber(q.Get("to_block")); given {
		to = &n
	}
	return from, to, from == nil || to == nil || *from <= *to
}

// pageOf returns a page of the rows. more holds the other fields of the body.
func pageOf[T any](m *Model, r Request, standard, most int, rows []T, item func(T) object, more object) Answer {
	limit, ok := limitOf(r.Query, "limit", standard, most)
	if !ok {
		return invalid
	}
	body := object{"chainId": m.Chain, "nextCursor": nil}
	for name, value := range more {
		body[name] = value
	}
	end := min(r.Offset+limit, len(rows))
	body["items"] = render(rows[min(r.Offset, len(rows)):end], item)
	if end < len(rows) {
		body["nextCursor"] = More
	}
	return Answer{Status: http.StatusOK, Body: body, Rows: len(rows)}
}

// covered returns the coverage of a list from a block on.
func (m *Model) covered(from *uint64) object {
	if m.first() > 0 && (from == nil || *from < m.first()) {
		return object{"coverage": object{"status": "partial", "reasonCode": "index_starts_later"}}
	}
	return object{"coverage": object{"status": "exact", "reasonCode": nil}}
}

// coveredBetween is like covered for a list with a last block. Blocks beyond the
// head do not exist yet.
func (m *Model) coveredBetween(from, to *uint64) object {
	if to != nil && *to < m.first() {
		return object{"coverage": object{"status": "unavailable", "reasonCode": "index_starts_later"}}
	}
	return m.covered(from)
}

// coveredFor is like covered for the activity of an address: that of the zero
// address is not indexed.
func (m *Model) coveredFor(owner starknet.Felt) object {
	if owner.IsZero() {
		return object{"coverage": object{"status": "unavailable", "reasonCode": "zero_address_not_indexed"}}
	}
	return unsure(m.covered(nil), m.doubted(owner, nil, nil, nil))
}

// batch returns one item for each felt of a list, in its order.
func (m *Model) batch(r Request, name string, item func(starknet.Felt) object) Answer {
	inputs := r.Body.(map[string]any)[name].([]string)
	if len(inputs) < 1 || len(inputs) > 128 {
		return invalid
	}
	items := []object{}
	for _, input := range inputs {
		items = append(items, item(felt(input)))
	}
	return found(object{"chainId": m.Chain, "items": items})
}

func (m *Model) block(r Request, parts []string) Answer {
	b := m.blockNamed(parts[0])
	if len(parts) == 2 { // txs
		if _, ok := limitOf(r.Query, "limit", 25, 100); b == nil && ok {
			return notFound
		}
		if b == nil {
			return invalid
		}
		return pageOf(m, r, 25, 100, m.txsOf(b), m.txItem, object{"coverage": object{"status": "exact", "reasonCode": nil}})
	}
	limit, ok := limitOf(r.Query, "tx_limit", 50, 200)
	switch {
	case !ok:
		return invalid
	case b == nil:
		return notFound
	}
	return found(m.blockBody(b, limit))
}

func (m *Model) blockAtTimestamp(q url.Values) Answer {
	second, ok := parseNumber(q.Get("timestamp"))
	if moment, err := time.Parse(time.RFC3339, q.Get("timestamp")); err == nil {
		second, ok = uint64(moment.Unix()), true //nolint:gosec // A block's time.
	}
	if !ok {
		return invalid
	}
	closest := "before"
	if q.Has("closest") {
		closest = q.Get("closest")
	}
	before, after := m.blockAtTime(second, false), m.blockAtTime(second, true)
	b := before
	if closest == "after" {
		b = after
	}
	if b == nil {
		return notFound
	}
	return found(object{
		"chainId": m.Chain, "query": object{"timestampIso": iso(second), "timestampUnix": second, "closest": closest}, "source": "indexed_blocks",
		"block": m.timedBlock(b), "previousBlock": m.timedBlock(before), "nextBlock": m.timedBlock(after),
	})
}

// searchEvents answers both event routes; contract is that of the path.
func (m *Model) searchEvents(r Request, contract *starknet.Felt) Answer {
	f, ok := filterOf(r.Query, contract)
	if _, limited := limitOf(r.Query, "limit", 25, 100); !ok || !limited {
		return invalid
	}
	more := m.coveredBetween(f.from, f.to)
	more["eventDecodingDegraded"], more["rangeCoverage"] = false, nil
	if f.isWide() {
		if refusal := m.refuseWide(f, r.Wallet); refusal != nil {
			return *refusal
		}
		more["rangeCoverage"] = m.rangeCoverage(f)
	}
	return pageOf(m, r, 25, 100, m.events(f), m.eventBody, more)
}

// positions are the key positions that can be searched.
var positions = strings.Fields("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15")

// filterOf parses and validates the filter of a search.
func filterOf(q url.Values, contract *starknet.Felt) (f eventFilter, ok bool) {
	if f.from, f.to, ok = bounds(q); !ok {
		return f, false
	}
	f.addresses = felts(q["address"])
	if contract != nil {
		f.addresses = []starknet.Felt{*contract}
	}
	for name := range q {
		if position, isTopic := strings.CutPrefix(name, "topic"); isTopic && !slices.Contains(positions, position) {
			return f, false // no such parameter
		}
	}
	anyTopic, later := false, false
	for i, position := range positions {
		f.topics[i] = felts(q["topic"+position])
		anyTopic = anyTopic || len(f.topics[i]) > 0
	}
	if selector := felts(q["selector"]); len(selector) > 0 {
		if len(f.topics[0]) > 0 && !slices.Equal(distinct(f.topics[0]), distinct(selector)) {
			return f, false
		}
		f.topics[0], anyTopic = selector, true
	}
	if sequence := append(felts(q["key"]), felts(q["keys"])...); len(sequence) > 0 {
		if contract == nil || anyTopic || q.Has("key") && q.Has("keys") {
			return f, false
		}
		for i, key := range sequence {
			f.topics[i] = []starknet.Felt{key}
		}
	}
	for _, values := range f.topics[1:] {
		later = later || len(values) > 0
	}
	switch {
	case later && (len(f.topics[0]) == 0 || f.from == nil || f.to == nil):
		return f, false
	case len(f.topics[0]) == 0 && len(f.addresses) == 0:
		return f, false
	}
	return f, true
}

// distinct returns felts in order, each once.
func distinct(list []starknet.Felt) []starknet.Felt {
	return slices.Compact(slices.SortedFunc(slices.Values(list), starknet.Felt.Cmp))
}

// felts reads a repeated parameter.
func felts(list []string) (all []starknet.Felt) {
	for _, text := range list {
		all = append(all, felt(text))
	}
	return all
}

// listMessages answers both message routes; contract is that of the path.
func (m *Model) listMessages(r Request, contract *starknet.Felt) Answer {
	q := r.Query
	rows := m.messages(func(g message) bool {
		return (contract == nil || g.l2 == *contract) &&
			(!q.Has("direction") || g.direction == q.Get("direction")) &&
			(!q.Has("txHash") || g.Receipt.TransactionHash == felt(q.Get("txHash"))) &&
			(!q.Has("messageHash") || g.hash == q.Get("messageHash"))
	})
	return pageOf(m, r, 100, 100, rows, m.messageBody, m.covered(nil))
}

// String is the request as one line.
func (r Request) String() string {
	text := r.Path
	if len(r.Query) > 0 {
		text += "?" + r.Query.Encode()
	}
	if r.Body != nil {
		body, _ := json.Marshal(r.Body)
		text += " " + string(body)
	}
	return fmt.Sprintf("%s (offset %d)", text, r.Offset)
}
