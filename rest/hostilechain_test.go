package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/repo/repotest"
	"astrolabe/rest/frame"
)

// TestHostileRequestsOverAnIndexedChainAreNeverA500 changes requests that
// succeed: their paths, queries, bodies and cursors. It sends 100,000 in a
// soak, fewer otherwise, and runs alone, because it also watches the heap.
func TestHostileRequestsOverAnIndexedChainAreNeverA500(t *testing.T) {
	count := 700
	if os.Getenv("ASTROLABE_SOAK") != "" {
		count = 100_000
	}
	s := newStateful(t)
	forge := newForge(t, s.service)
	var (
		before, after runtime.MemStats
		slowest       time.Duration
		answered      = map[int]int{}
	)
	for i := range count {
		if i == count/10 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
		raw := forge.request()
		request, ok := parse(raw)
		if !ok {
			continue
		}
		began := time.Now()
		status, err := judgedAs(s.handler, request.WithContext(t.Context()))
		if err != nil {
			t.Fatalf("request %d, %q: got %v, want a documented response", i, raw, err)
		}
		answered[status]++
		slowest = max(slowest, time.Since(began))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("answers by status: %v; the slowest took %v", answered, slowest)
	for _, status := range []int{http.StatusOK, http.StatusBadRequest, http.StatusNotFound} {
		if answered[status] < count/100 {
			t.Errorf("got %d responses with %d, want at least %d", answered[status], status, count/100)
		}
	}
	if longest := longestBudget() + 5*time.Second; slowest > longest {
		t.Errorf("got a request that took %v, want at most %v", slowest, longest)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20+int64(count)*64 {
		t.Errorf("got a heap that grew by %d bytes over %d requests, want at most %d", grown, count, 64<<20+int64(count)*64)
	}
}

func longestBudget() (longest time.Duration) {
	for _, op := range Table() {
		if op.Accepts == "" { // an upload may be slow
			longest = max(longest, op.Timeout)
		}
	}
	return longest
}

// forge makes hostile requests out of good ones.
type forge struct {
	random  *rand.Rand
	key     string
	goods   []good
	values  []string // felts, numbers and words of the chain
	cursors []string
}

// good is a request that succeeds, or nearly.
type good struct {
	method, path string
	query        url.Values
	body         string
	params       []frame.Param
}

func newForge(t *testing.T, s *service) *forge {
	t.Helper()
	f := &forge{random: rand.New(rand.NewPCG(3, 4)), key: s.access.Key, values: slices.Clone(hostileValues)}
	for _, b := range repotest.Everyday(t)[20:60:60] {
		f.values = append(f.values, b.Header.Hash.String(), fmt.Sprint(b.Header.Number))
		for i := range min(len(b.Transactions), 3) {
			f.values = append(f.values, b.Transactions[i].Hash.String())
		}
		for i := range min(len(b.Events), 3) {
			f.values = append(f.values, b.Events[i].FromAddress.String())
			for _, key := range b.Events[i].Keys {
				f.values = append(f.values, key.String())
			}
		}
	}
	for _, op := range Table() {
		f.goods = append(f.goods, goodOf(op, f.values))
	}
	f.harvest(t, s)
	return f
}

// goodOf fills in the examples of the reference.
func goodOf(op frame.Operation, values []string) good {
	g := good{method: op.Method, path: op.Path, query: url.Values{}, params: op.Params}
	for _, p := range op.Params {
		switch {
		case p.In == frame.InPath:
			g.path = strings.ReplaceAll(g.path, "{"+p.Name+"}", p.Example)
		case p.Example != "" && p.Required:
			g.query.Add(p.Name, p.Example)
		}
	}
	felts := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) < 50 || !strings.HasPrefix(v, "0x") })[:8]
	list, _ := json.Marshal(felts)
	switch op.ID {
	case "previewTransactions":
		g.body = fmt.Sprintf(`{"hashes":%s}`, list)
	case "queryWalletState":
		g.body = fmt.Sprintf(`{"ownerAddress":%q,"mode":"verified_partial","scope":"explicit","tokenAddresses":%s,"limit":5,"blockPreference":"latest_accepted_l2"}`, felts[0], list)
	default:
		g.body = fmt.Sprintf(`{"addresses":%s}`, list)
	}
	if op.MaxBody == 0 {
		g.body = ""
	}
	return g
}

// harvest asks for a page of every list and keeps its cursor.
func (f *forge) harvest(t *testing.T, s *service) {
	t.Helper()
	for _, g := range f.goods {
		if g.method != http.MethodGet || !slices.ContainsFunc(g.params, func(p frame.Param) bool { return p.Name == frame.CursorParam.Name }) {
			continue
		}
		g.query.Set("limit", "1")
		var page struct{ NextCursor *string }
		a := s.get(g.path + "?" + g.query.Encode())
		if err := json.Unmarshal([]byte(a.body), &page); err != nil {
			t.Fatal(err)
		}
		g.query.Del("limit")
		if page.NextCursor != nil {
			f.cursors = append(f.cursors, *page.NextCursor)
		}
	}
	if len(f.cursors) < 5 {
		t.Fatalf("got %d lists with a second page, want at least 5", len(f.cursors))
	}
}

// hostileValues are texts that are nobody's.
var hostileValues = []string{
	"", "0", "-1", "1e3", "0x", "0x0", "0X1", "0xg", "18446744073709551616", "9007199254740993", "2147483648", "32768", "latest", "pending", "null", "true",
	"0x800000000000011000000000000000000000000000000000000000000000001", "0x800000000000011000000000000000000000000000000000000000000000000",
	"0x" + strings.Repeat("0", 300) + "1", "0x" + strings.Repeat("f", 64), "%00", "\x00", "é", "💣", "'; DROP TABLE events; --", "../..", "{}", "[]", `"`,
	"2026-01-01T00:03:02Z", "2026-13-01T00:00:00Z", "253402300800", "in", "out", "any", "before", "after", "asc", "SN_MAIN", "SN_SEPOLIA", "discovered", "l1_to_l2",
	strings.Repeat("9", 400), strings.Repeat("a", 2000), "%", "%zz", "+", "1 2", "1\n2",
}

func pick[T any](f *forge, list []T) T { return list[f.random.IntN(len(list))] }

// request changes a good request in one to four ways and writes it as a client
// would send it.
func (f *forge) request() string {
	g := pick(f, f.goods)
	g.query = cloneQuery(g.query)
	segments := strings.Split(strings.TrimPrefix(g.path, "/"), "/")
	header := "X-Service-Api-Key: " + f.key + "\r\n"
	for range f.random.IntN(4) {
		switch f.random.IntN(10) {
		case 0:
			segments[f.random.IntN(len(segments))] = url.PathEscape(f.value())
		case 1:
			segments[len(segments)-1] = url.PathEscape(f.damage(segments[len(segments)-1]))
		case 2:
			g.method = pick(f, hostileParts.methods)
		case 3:
			header += pick(f, hostileParts.headers) + "\r\n"
		case 4, 5:
			if g.body != "" {
				g.body = f.body(g.body)
				continue
			}
			fallthrough
		default:
			f.query(&g)
		}
	}
	raw := g.method + " /" + strings.Join(segments, "/")
	if text := g.query.Encode(); text != "" {
		raw += "?" + text
	}
	raw += " HTTP/1.1\r\nHost: x\r\n" + header
	if g.body != "" {
		raw += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(g.body))
	}
	return raw + "\r\n" + g.body
}

func cloneQuery(query url.Values) url.Values {
	out := make(url.Values, len(query))
	for name, values := range query {
		out[name] = slices.Clone(values)
	}
	return out
}

// query gives a parameter of the operation, or of another, one or many values.
func (f *forge) query(g *good) {
	name := "limit"
	if of := pick(f, f.goods).params; len(g.params) > 0 && f.random.IntN(8) > 0 {
		name = pick(f, g.params).Name
	} else if len(of) > 0 {
		name = pick(f, of).Name
	}
	switch {
	case name == frame.CursorParam.Name:
		cursor := pick(f, f.cursors)
		if f.random.IntN(2) == 0 {
			cursor = f.damage(cursor)
		}
		g.query.Set(name, cursor)
	case name == "limit":
		g.query.Set(name, pick(f, []string{"1", "2", "25", "100", "0", "101", f.value()}))
	case f.random.IntN(6) == 0:
		for range 1 + f.random.IntN(300) {
			g.query.Add(name, f.value())
		}
	default:
		g.query.Add(name, f.value())
	}
}

// value is one of the chain or nobody's, whole or damaged.
func (f *forge) value() string {
	value := pick(f, f.values)
	if f.random.IntN(4) == 0 {
		value = f.damage(value)
	}
	return value
}

// damage changes a text a little.
func (f *forge) damage(text string) string {
	if text == "" {
		return "x"
	}
	at := f.random.IntN(len(text))
	switch f.random.IntN(6) {
	case 0:
		return text[:at]
	case 1:
		return text[:at] + string(rune(f.random.IntN(0x250))) + text[at+1:]
	case 2:
		return text + text
	case 3:
		return strings.ToUpper(text)
	case 4:
		return text[:at] + text[at+1:]
	default:
		return text[:at] + strings.Repeat(text[at:at+1], 1+f.random.IntN(80)) + text[at:]
	}
}

// body damages a body, or changes a value of it.
func (f *forge) body(body string) string {
	var fields map[string]any
	if f.random.IntN(2) == 0 || json.Unmarshal([]byte(body), &fields) != nil || len(fields) == 0 {
		return f.damage(body)
	}
	name := pick(f, slices.Sorted(maps.Keys(fields)))
	switch f.random.IntN(7) {
	case 0:
		delete(fields, name)
	case 1:
		fields[f.value()] = fields[name]
	case 2:
		fields[name] = map[string]any{name: []any{nil, 1.5, fields[name]}}
	case 3:
		many := make([]string, f.random.IntN(400))
		for i := range many {
			many[i] = f.value()
		}
		fields[name] = many
	case 4:
		fields[name] = pick(f, []any{nil, true, -1, 1e300, "", f.value(), []any{}, []any{[]any{}}})
	case 5:
		return strings.Repeat(`{"a":[`, 1+f.random.IntN(3000))
	default:
		return strings.Replace(body, "{", fmt.Sprintf("{%q:%q,", name, f.value()), 1) // a key that is there twice
	}
	changed, _ := json.Marshal(fields)
	return string(changed)
}
