package graph

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// question is a request for an operation with values for its parameters.
type question struct {
	*restOperation
	values map[string][]string
	after  string // the cursor of the previous GraphQL page
}

// request returns the REST request.
func (q question) request() *http.Request {
	path, query, body := q.path, url.Values{}, map[string]any{}
	for name, values := range q.values {
		switch p := q.params[name]; p.in {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(values[0]))
		case "query":
			query[name] = values
		default:
			body[name] = bodyValue(p.schema, values)
		}
	}
	r := httptest.NewRequest(q.method, path+"?"+query.Encode(), strings.NewReader(string(encode(body))))
	r.Header.Set("Content-Type", mediaJSON)
	return r
}

func bodyValue(ref *openapi3.SchemaRef, values []string) any {
	_, schema := unwrap(ref)
	switch {
	case ref.Value.Items != nil:
		return values
	case schema.Type.Includes("integer"):
		return json.Number(values[0])
	default:
		return values[0]
	}
}

// field returns the GraphQL root field that selects everything in the REST
// response.
func (q question) field(t *testing.T, p *parity, alias string) string {
	t.Helper()
	selected, filled := selection{}, arguments{}
	for _, f := range p.answers[q.id] {
		selected.add(f.graph)
		if f.cursor {
			selected.add(endCursor(f))
		}
	}
	for name, values := range q.values {
		at, asked := p.Operations[q.id].Arguments[name]
		if !asked {
			continue
		}
		to, err := readPlace(q.root(), at)
		if err != nil {
			t.Fatal(err)
		}
		if name == "cursor" {
			values = []string{q.after}
		}
		filled.give(to, values)
	}
	text := selected.text("", filled)
	return alias + ":" + text[1:len(text)-1]
}

// endCursor is the path of a page's end cursor.
func endCursor(f fact) []string { return append(slices.Clone(f.graph[:len(f.graph)-1]), "endCursor") }

// world has the objects that requests are about.
type world struct {
	*rand.Rand
	blocks  []facts.Block
	parties []string // of transfers
	tokens  []string
}

func newWorld(blocks []facts.Block, seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 8)), blocks: blocks}
	for _, block := range blocks {
		for _, transfer := range block.Transfers {
			w.parties = append(w.parties, transfer.From.String(), transfer.To.String())
		}
		for _, token := range block.Tokens {
			w.tokens = append(w.tokens, token.Address.String())
		}
	}
	return w
}

func oneOf[T any](w *world, list []T) T { return list[w.IntN(len(list))] }

// some returns up to this many values, and at least one.
func (w *world) some(most int, one func() string) []string {
	values := make([]string, 1+w.IntN(most))
	for i := range values {
		values[i] = one()
	}
	return values
}

// scene is an event that the filters of a request are taken from, so that they
// match something together.
type scene struct {
	block *facts.Block
	event *facts.Event
}

func (w *world) scene() scene {
	for {
		block := &w.blocks[w.IntN(len(w.blocks))]
		if len(block.Events) > 0 {
			return scene{block, &block.Events[w.IntN(len(block.Events))]}
		}
	}
}

func (s scene) tx() *facts.Transaction { return &s.block.Transactions[s.event.TxIndex] }

// given are the parameters that are never omitted: most requests need them,
// and the facades have different default limits.
var given = []string{"from", "to", "limit", "tx_limit", "log_limit", "timestamp", "q", "hashes", "addresses", "ownerAddress", "topic0", "selector"}

// explicit are the parameters of a wallet that are rejected with most values of
// the others.
var explicit = []string{"tokenAddresses", "blockHash", "blockNumber"}

// ask generates a random request: the required parameters, and sometimes
// others.
func (w *world) ask(o *restOperation, m fieldMap) question {
	q, s := question{restOperation: o, values: map[string][]string{}}, w.scene()
	for _, name := range slices.Sorted(maps.Keys(m.Arguments)) {
		p := o.params[name]
		always := p.in == "path" || slices.Contains(given, name)
		seldom := slices.Contains(explicit, name) && w.IntN(4) > 0
		if name == "cursor" || seldom || !always && w.IntN(2) == 0 {
			continue
		}
		if values := w.values(o, name, p, s); values != nil {
			q.values[name] = values
		}
	}
	if o.id == "queryWalletState" && w.IntN(3) > 0 { // most of its parameters are rejected without others
		for _, name := range []string{"blockPreference", "blockHash", "blockNumber", "scope", "tokenAddresses"} {
			delete(q.values, name)
		}
		q.values["mode"] = []string{"verified_partial"}
	}
	if o.id == "listPrivacyPoolTvlSeries" { // REST requires the only value that it accepts
		q.values["granularity"] = []string{"hour"}
	}
	return q
}

// values returns values for a parameter, or nil to omit it.
func (w *world) values(o *restOperation, name string, p restParam, s scene) []string {
	_, schema := unwrap(p.schema)
	if position, isTopic := strings.CutPrefix(name, "topic"); isTopic {
		return w.topic(position, s)
	}
	switch name {
	case "chain":
		if w.IntN(40) == 0 {
			return []string{"SN_SEPOLIA"}
		}
		return []string{"SN_MAIN"}
	case "number_or_hash", "block_tag":
		return []string{w.blockTag(name == "block_tag")}
	case "tx_hash", "txHash":
		return []string{w.hash(s)}
	case "hashes":
		return w.some(4, func() string { return w.hash(w.scene()) })
	case "token":
		if p.in == "path" {
			return []string{w.token()}
		}
		if o.id == "getPrivacyPoolMetricSeries" {
			return []string{w.token()}
		}
		return w.some(2, w.token)
	case "tokenAddresses":
		return w.some(3, w.token)
	case "address", "addresses", "ownerAddress":
		return w.addresses(o, name, p, s)
	case "from_block":
		return []string{strconv.FormatUint(s.block.Header.Number-min(s.block.Header.Number, w.Uint64N(20)), 10)}
	case "to_block", "blockNumber":
		return []string{strconv.FormatUint(s.block.Header.Number+w.Uint64N(20), 10)}
	case "blockHash":
		return []string{s.block.Header.Hash.String()}
	case "timestamp":
		return []string{time.Unix(int64(s.block.Header.Timestamp)+w.Int64N(9)-4, 0).UTC().Format(time.RFC3339)}
	case "from", "to":
		return []string{time.Unix(int64(w.blocks[0].Header.Timestamp), 0).UTC().Truncate(time.Hour).Add(time.Duration(w.IntN(5)-1) * time.Hour).Format(time.RFC3339)}
	case "event":
		return []string{string(oneOf(w, facts.PoolVariants))}
	case "pool":
		return []string{w.unknown(poolAddress)}
	case "messageHash":
		return []string{w.message().Hash.String()}
	case "selector":
		return []string{starknet.Selector(oneOf(w, []string{"total_supply", "totalSupply", "decimals", "symbol", "nothing"})).String()}
	case "calldata":
		return []string{oneOf(w, w.parties)}
	case "q":
		return []string{w.text(s)}
	}
	switch {
	case len(schema.Enum) > 0:
		return []string{fmt.Sprint(oneOf(w, schema.Enum))}
	case strings.HasSuffix(name, "limit"):
		return []string{strconv.Itoa(1 + w.IntN(int(min(*schema.Max, 40))))}
	}
	panic("no values for the parameter " + name + " of " + o.id)
}

// topic returns the scene's key at a position, sometimes with another one.
func (w *world) topic(position string, s scene) []string {
	n, _ := strconv.Atoi(position)
	if n >= len(s.event.Keys) {
		return nil
	}
	keys := []string{s.event.Keys[n].String()}
	if other := w.scene().event.Keys; w.IntN(3) == 0 && n < len(other) {
		keys = append(keys, other[n].String())
	}
	return keys
}

func (w *world) blockTag(state bool) string {
	header := w.scene().block.Header
	tags := []string{strconv.FormatUint(header.Number, 10), header.Hash.String(), "latest", "9999999"}
	if state {
		tags = append(tags, "pending")
	}
	return oneOf(w, tags)
}

// unknown is sometimes a value that does not exist.
func (w *world) unknown(otherwise string) string {
	if w.IntN(20) == 0 {
		return "0x1234567"
	}
	return otherwise
}

func (w *world) hash(s scene) string { return w.unknown(s.tx().Hash.String()) }
func (w *world) token() string       { return w.unknown(oneOf(w, w.tokens)) }
func (w *world) party() string       { return w.unknown(oneOf(w, w.parties)) }

// addresses returns contracts where contracts are expected, else parties of
// transfers.
func (w *world) addresses(o *restOperation, name string, p restParam, s scene) []string {
	switch {
	case strings.HasSuffix(o.path, "/contract/{address}/messages"):
		return []string{w.messenger()}
	case strings.Contains(o.path, "/contract/"):
		return []string{oneOf(w, []string{s.event.FromAddress.String(), bridgeAddress, oneOf(w, w.tokens)})}
	case strings.HasSuffix(o.path, "/events"):
		return []string{s.event.FromAddress.String()}
	case p.in == "query" || name == "addresses":
		return w.some(3, w.party)
	default:
		return []string{w.party()}
	}
}

// message returns any message.
func (w *world) message() *facts.Message {
	for {
		if block := &w.blocks[w.IntN(len(w.blocks))]; len(block.Messages) > 0 {
			return &block.Messages[w.IntN(len(block.Messages))]
		}
	}
}

// messenger returns the L2 contract of a message.
func (w *world) messenger() string {
	message := w.message()
	if message.Direction == facts.L1ToL2 {
		return message.To.String()
	}
	return message.From.String()
}

// text returns a search query.
func (w *world) text(s scene) string {
	return oneOf(w, []string{
		strconv.FormatUint(s.block.Header.Number, 10), s.block.Header.Hash.String(), s.tx().Hash.String(), s.event.FromAddress.String(),
		oneOf(w, w.parties), oneOf(w, w.tokens), "STRK", "ETH", "eth", "st", "Ekubo", "bridge", "StarkGate", "nothing at all",
	})
}
