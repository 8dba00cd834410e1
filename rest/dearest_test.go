package rest

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/gateway"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/rest/frame"
)

const (
	maxMemory = 512 << 20       // of the process while the worst requests run
	lateness  = 5 * time.Second // of a busy machine that notices that the time is over
	worstOf   = 16
)

// dear is a request that asks for as much as its operation allows.
type dear struct {
	op        frame.Operation
	path      string
	body      string
	params    string // between body and its end; shared, so that the test itself holds little
	bearer    string // of a session; empty for the key
	allocated uint64
	status    int
	took      time.Duration
}

// TestDearestAcceptedRequestsFitIntoMemoryAndTime asks every operation for as
// much as its parameters allow, over values as long as the chain allows, and
// repeats the 16 that allocate the most at once. It is not parallel: it measures
// the process.
func TestDearestAcceptedRequestsFitIntoMemoryAndTime(t *testing.T) {
	repotest.SkipRaced(t)
	db := repotest.OpenTemplate(t, repotest.Long)
	s := newServiceOver(t, db, time.Now, func(o *Options) {
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Nodes: map[domain.Chain]chain.Node{domain.Mainnet: emptyNode{}}})
	})
	subjects := 2
	if soak {
		subjects = 60
	}
	var all []dear
	bearer := s.bearer()
	for _, op := range Table() {
		requests := dearest(t, op, subjects)
		if strings.HasPrefix(op.ID, "callRpc") {
			requests = dearestCalls(requests[0])
		}
		for _, d := range requests {
			d.path = strings.ReplaceAll(d.path, "{key}", s.access.Key)
			if op.Session {
				d.bearer = bearer
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d = s.measure(d)
			runtime.ReadMemStats(&after)
			d.allocated = after.TotalAlloc - before.TotalAlloc
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b dear) int { return int(b.allocated>>10) - int(a.allocated>>10) })
	for name, worst := range map[string][]dear{"the worst": all[:worstOf], "the worst many times": slices.Repeat(all[:1], worstOf)} {
		s.atOnce(name, slices.Clone(worst))
	}
	t.Logf("%d requests", len(all))
}

// atOnce sends requests at once and requires that they fit into memory and time.
func (s *service) atOnce(name string, worst []dear) {
	t := s.t
	t.Helper()
	peak := repotest.PeakMemory(func() {
		var running sync.WaitGroup
		for i := range worst {
			running.Go(func() { worst[i] = s.measure(worst[i]) })
		}
		running.Wait()
	})
	for _, d := range worst {
		t.Logf("%d MB alone; among %d: status %d in %v: %s", d.allocated>>20, worstOf, d.status, d.took.Round(time.Millisecond), d.op.ID)
		if allowed := d.op.Timeout + lateness; d.took > allowed {
			t.Errorf("%s: got an answer after %v, want one within %v", d.op.ID, d.took, allowed)
		}
	}
	if peak > maxMemory {
		t.Errorf("%s: got a peak of %d MB, want at most %d MB", name, peak>>20, maxMemory>>20)
	}
	t.Logf("%s: peak %d MB", name, peak>>20)
}

// dearest returns requests of an operation about several subjects.
func dearest(t *testing.T, op frame.Operation, subjects int) (all []dear) {
	t.Helper()
	blocks := repotest.Everyday(t)
	var hashes, addresses []string
	for _, b := range slices.Backward(blocks) {
		for i := range b.Transactions {
			hashes = append(hashes, b.Transactions[i].Hash.String())
		}
		for i := range b.Events {
			if from := b.Events[i].FromAddress.String(); !slices.Contains(addresses, from) {
				addresses = append(addresses, from)
			}
		}
	}
	for i := range subjects {
		d := dear{op: op, path: op.Path}
		query := url.Values{}
		for _, p := range op.Params {
			value := p.Example
			switch {
			case p.Kind == frame.IntegerKind && p.Max > 0 && strings.HasSuffix(p.Name, "limit"):
				value = strconv.FormatInt(p.Max, 10)
			case strings.Contains(p.Name, "tx_hash"):
				value = hashes[i%len(hashes)]
			case p.Kind == frame.FeltKind && strings.Contains(p.Name, "address"):
				value = addresses[i%len(addresses)]
			case p.Kind == frame.BlockKind:
				value = strconv.FormatUint(blocks[len(blocks)-1-i%len(blocks)].Header.Number, 10)
			}
			if p.In == frame.InPath && p.Name == "key" {
				continue
			}
			if p.In == frame.InPath {
				d.path = strings.ReplaceAll(d.path, "{"+p.Name+"}", value)
			} else if value != "" && (p.Required || strings.HasSuffix(p.Name, "limit")) {
				query.Set(p.Name, value)
			}
		}
		if len(query) > 0 {
			d.path += "?" + query.Encode()
		}
		switch op.ID {
		case "previewTransactions":
			d.body = fmt.Sprintf(`{"hashes":["%s"]}`, strings.Join(hashes[:min(128, len(hashes))], `","`))
		case "queryWalletState":
			d.body = fmt.Sprintf(`{"ownerAddress":%q,"mode":"verified_partial","scope":"discovered_plus_registry","limit":25,"blockPreference":"latest_accepted_l2"}`, addresses[i%len(addresses)])
		default:
			d.body = fmt.Sprintf(`{"addresses":["%s"]}`, strings.Join(addresses[:min(128, len(addresses))], `","`))
		}
		if op.MaxBody == 0 {
			d.body = ""
		}
		all = append(all, d)
	}
	return all
}

// dearestCalls returns a request of the gateway with bodies as large as it
// accepts.
func dearestCalls(like dear) (all []dear) {
	methods := []string{"starknet_call", "starknet_getStorageProof"}
	if soak {
		methods = methods[:0]
		for _, m := range gateway.Methods {
			methods = append(methods, m.Name)
		}
	}
	for _, params := range dearestParams() {
		for _, method := range methods {
			like.body, like.params = `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`, params
			all = append(all, like)
		}
		like.body, like.params = " ", params // a batch, or no request
		all = append(all, like)
	}
	return all
}

// dearestParams are params of every shape that takes more memory than its text.
var dearestParams = sync.OnceValue(func() []string {
	const size = 10<<20 - 200 // within the limit of a body
	names := new(strings.Builder)
	for i := 0; names.Len() < size-40; i++ {
		fmt.Fprintf(names, `"%x":1,`, i)
	}
	return []string{
		"[" + strings.Repeat(`"0x1",`, size/6-1) + `"0x1"]`,
		"[" + strings.Repeat("1,", size/2-1) + "1]",
		"[[" + strings.Repeat("{},", size/3-2) + "{}]]",
		"{" + names.String() + `"block_id":"latest"}`,
		`["` + strings.Repeat("x", size) + `"]`,
	}
})

// measure sends a request and drops the response.
func (s *service) measure(d dear) dear {
	s.t.Helper()
	end := ""
	if strings.HasPrefix(d.body, `{"jsonrpc"`) {
		end = "}"
	}
	r, err := http.NewRequestWithContext(s.t.Context(), d.op.Method, s.url+d.path, io.MultiReader(strings.NewReader(d.body), strings.NewReader(d.params), strings.NewReader(end)))
	if err != nil {
		s.t.Fatal(err)
	}
	r.ContentLength = int64(len(d.body) + len(d.params) + len(end))
	if d.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+d.bearer)
	} else {
		r.Header.Set("X-Service-Api-Key", s.access.Key)
	}
	if d.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	began := time.Now()
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Error(err)
		return d
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, response.Body)
	d.status, d.took = response.StatusCode, time.Since(began)
	return d
}
