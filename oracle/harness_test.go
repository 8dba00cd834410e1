package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"astrolabe/access/accesstest"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/jobs/index"
	"astrolabe/node"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	store "astrolabe/repo/index"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/rest"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// depth is how many blocks above a block make it final.
const depth = 5

// soak tells that a long run is wanted.
var soak = os.Getenv("ASTROLABE_SOAK") != ""

// world is a simulated chain, an index that follows it, and the service over
// the index, with real HTTP and a real database between them.
type world struct {
	*testing.T
	sim      *sim.Node
	pool     *node.Pool
	database string
	db       *repo.DB
	chain    domain.Chain
	loop     *index.Loop
	halt     func()
	// withheld is a class that the node does not have for now; nil means none.
	withheld *starknet.Felt

	service *httptest.Server
	serving *repo.DB // the connections of the service
	access  *accesstest.Fixture
	wallet  string       // the key of a wallet workspace
	seconds atomic.Int64 // of the clock

	operations []operation
	// exercised counts the equal answers of each operation that are neither an
	// error nor an empty list.
	exercised map[string]int
	// model is the chain as it was when the index last caught up.
	model *Model
}

func newWorld(t *testing.T, config sim.Config) *world {
	t.Helper()
	simulated := simtest.New(t, config)
	server := httptest.NewServer(simulated.Handler())
	t.Cleanup(func() { _ = simulated.Close(); server.Close() })
	w := newIndex(t, domain.Mainnet, server.URL, func(*index.Loop) {})
	w.sim = simulated
	w.catchUp()
	return w
}

// newIndex follows a node.
func newIndex(t *testing.T, c domain.Chain, url string, change func(*index.Loop)) *world {
	t.Helper()
	w := &world{T: t, chain: c, database: pgtest.Database(t, repotest.Migrated), operations: operations(t), exercised: map[string]int{}}
	var err error
	if w.pool, err = node.Open(node.Options{Chain: c, URLs: []string{url}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.pool.Close)
	if w.db, err = repo.Open(t.Context(), repo.Options{URL: w.database}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.db.Close)
	w.access = accesstest.New(t, w.db, time.Now)
	w.wallet = w.newWallet()
	loop := &index.Loop{
		Chain: c, Pools: privacy.KnownPools(c), Node: repotest.OnceRead{Source: w.pool.Source()}, Holder: "oracle",
		Leases: store.NewLeases(w.db), Checkpoints: store.NewCheckpoints(w.db), Classes: store.NewArchive(w.db), Writer: store.NewWriter(w.db), Backfills: store.NewBackfills(w.db),
		Every: 10 * time.Millisecond, Lease: time.Minute, Depth: depth, Verify: facts.FullyVerified,
		Sizes:  index.Sizes{BatchEvents: 300, RangeEvents: 1500, Bulk: 8}, // so that a short chain has several partitions
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(),
	}
	change(loop)
	w.loop = loop
	w.resume()
	t.Cleanup(func() { w.halt() })
	w.restart()
	t.Cleanup(w.stop)
	return w
}

// resume lets the index follow the node until halt is called.
func (w *world) resume() {
	ctx, stop := context.WithCancel(w.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- w.loop.Run(ctx) }()
	w.halt = func() { stop(); <-stopped }
}

// cursorKey is the key of all cursors, which a restart does not change.
type cursorKey struct{}

// CurrentKey implements domain.MACKeys.
func (cursorKey) CurrentKey() (uint32, []byte) { return 1, []byte("0123456789abcdef") }

// KeyOf implements domain.MACKeys.
func (k cursorKey) KeyOf(_ context.Context, generation uint32) ([]byte, bool) {
	_, key := k.CurrentKey()
	return key, generation == 1
}

// restart ends the service, if there is one, and starts another over the same
// database, with connections and caches of its own.
func (w *world) restart() {
	w.Helper()
	if w.service != nil {
		w.stop()
	}
	db, err := repo.Open(w.Context(), repo.Options{URL: w.database})
	if err != nil {
		w.Fatal(err)
	}
	w.serving = db
	w.service = httptest.NewServer(rest.Handler(rest.Options{
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health), Version: "test",
		Now:    w.tick,
		Chains: []domain.Chain{w.chain}, Gate: w.access.Gate, Usage: account.NewUsage(accounts.NewUsage(db), time.Now),
		Services: explorer.New(explorer.Options{
			Stores: repositories.Explorer(db), Cursors: domain.NewCursors(cursorKey{}), Nodes: map[domain.Chain]chain.Node{w.chain: w.pool.Source()},
		}),
	}))
}

// tick is a clock of which each reading is a second later than the one before,
// so that no generated body is served twice.
func (w *world) tick() time.Time { return time.Unix(w.seconds.Add(1), 0) }

// stop ends the service.
func (w *world) stop() {
	w.service.Close()
	w.serving.Close()
}

// catchUp waits until the index stands where the simulated chain does, and
// models that.
func (w *world) catchUp() {
	w.Helper()
	model, err := OfNode(w.sim, depth)
	if err != nil {
		w.Fatal(err)
	}
	if model.Registry, err = ReadRegistry("..", model.Chain); err != nil {
		w.Fatal(err)
	}
	if w.withheld != nil {
		model.Withhold(*w.withheld)
	}
	if w.model != nil {
		model.called = w.model.called // who was asked is not asked again so soon
	}
	w.follow(model)
}

// follow waits until the service reports the head and watermarks of a model.
func (w *world) follow(model *Model) {
	w.Helper()
	want := object{"headBlockHash": model.head().BlockHash.String(), "latestIndexedBlockNumber": model.head().BlockNumber}
	want["finalizedBlockNumber"], want["latestL1AcceptedBlockNumber"] = model.Finalized, model.L1
	ticker, late := time.NewTicker(10*time.Millisecond), time.After(2*time.Minute)
	defer ticker.Stop()
	for {
		_, status := w.get(Request{Path: "status"}, "")
		got := object{}
		for name := range want {
			got[name] = status[name]
		}
		_, newest := w.get(Request{Path: "block/latest"}, "")
		if same(got, want) && newest["blockHash"] == want["headBlockHash"] {
			w.model = model
			return
		}
		select {
		case <-ticker.C: // as a client would poll
		case <-late:
			w.Fatalf("got the index at %v, want %v", got, want)
		}
	}
}

// route is where a request goes: to its chain, unless it names the whole path.
func (w *world) route(r Request) string {
	if strings.HasPrefix(r.Path, "/") {
		return r.Path
	}
	return "/v1/" + string(w.chain) + "/" + r.Path
}

// get asks the service, with a cursor if there is one.
func (w *world) get(r Request, cursor string) (int, object) {
	w.Helper()
	query := r.Query
	if cursor != "" {
		query = clone(query)
		query.Set("cursor", cursor)
	}
	body := io.Reader(nil)
	if r.Body != nil {
		text, err := json.Marshal(r.Body)
		if err != nil {
			w.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(w.Context(), r.method(), w.service.URL+w.route(r)+"?"+query.Encode(), body)
	if err != nil {
		w.Fatal(err)
	}
	key := w.access.Key
	if r.Wallet {
		key = w.wallet
	}
	request.Header.Set("X-Service-Api-Key", key)
	request.Header.Set("Content-Type", "application/json")
	response, err := w.service.Client().Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.Fatal(err)
	}
	return response.StatusCode, plain(w.T, text).(object)
}

// plain reads JSON with its numbers as they are written.
func plain(t *testing.T, text []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return value
}

// unmodelled are fields of the answers of an operation that do not follow from
// the chain: when something was done, by whom, and the names of a census and a
// request.
var unmodelled = map[string][]string{
	"getStatus":           {"asOf", "watermarkAgeSeconds"},
	"getCapabilities":     {"verifiedAt", "liveMaintenance"},
	"searchEvents":        {"liveMaintenance"},
	"getContractEvents":   {"liveMaintenance"},
	"getToken":            {"metadataUpdatedAtIso", "summaryCacheUpdatedAtIso"},
	"getTokenControls":    {"indexedAtIso"},
	"listTokenHolders":    {"generationId", "expiresAt", "checkedAt", "reasonCode"},
	"screenTokenHolders":  {"generationId", "checkedAt", "reasonCode"},
	"analyzeTokenHolders": {"generationId"},
	"queryWalletState":    {"requestId"},

	"getPrivacyPoolStatus":         {"caveat"},
	"getPrivacyPoolTvl":            {"caveat", "materializedAt"},
	"listPrivacyPoolTvlSeries":     {"caveat", "materializedAt"},
	"listPrivacyPoolMetricBuckets": {"caveat"},
	"getPrivacyPoolMetricSeries":   {"caveat"},
	"getPrivacyPoolAnalytics":      {"caveat", "reason"},
}

// forget removes fields from a value and everything in it.
func forget(value any, names []string) {
	switch v := value.(type) {
	case object:
		for _, name := range names {
			delete(v, name)
		}
		for _, inner := range v {
			forget(inner, names)
		}
	case []any:
		for _, inner := range v {
			forget(inner, names)
		}
	}
}

// check asks the service and the model, and reports whether they say the same.
// It returns the status and the cursor of the next page. Of a failure the status
// and the code are compared: its sentence is for people and its request id is
// its own.
func (w *world) check(r Request, cursor string) (status int, next string, ok bool) {
	w.Helper()
	want, operation := w.model.Answer(r), w.operationOf(r)
	status, got := w.get(r, cursor)
	if want.Status != http.StatusOK || status != http.StatusOK {
		if status != want.Status || got["code"] != want.Code && want.Code != "" {
			w.Errorf("%s: got %d %v, want %d %s", r, status, got, want.Status, want.Code)
			return status, "", false
		}
		return status, "", true
	}
	if text, given := got["nextCursor"].(string); given {
		next, got["nextCursor"] = text, More
	}
	forget(got, unmodelled[operation])
	if operation == "search" {
		w.model.SettleTies(got["items"].([]any))
	}
	text, err := json.Marshal(want.Body)
	if err != nil {
		w.Fatal(err)
	}
	if diff := differences("", plain(w.T, text), any(got)); len(diff) > 0 {
		w.Errorf("%s differs from what the model wants:\n%s", r, strings.Join(diff[:min(8, len(diff))], "\n"))
		return status, next, false
	}
	if items, isList := got["items"].([]any); !isList || len(items) > 0 {
		w.exercised[operation]++
	}
	return status, next, true
}

// differences lists the places at which two JSON values differ.
func differences(at string, model, service any) (list []string) {
	switch m := model.(type) {
	case object:
		s, ok := service.(object)
		if !ok {
			break
		}
		names := slices.AppendSeq(slices.Collect(maps.Keys(m)), maps.Keys(s))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			inModel, known := m[name]
			inService, given := s[name]
			if known != given {
				list = append(list, fmt.Sprintf("%s.%s: got it given %t, want %t as in the model", at, name, given, known))
			} else {
				list = append(list, differences(at+"."+name, inModel, inService)...)
			}
		}
		return list
	case []any:
		s, ok := service.([]any)
		if !ok || len(s) != len(m) {
			break
		}
		for i := range m {
			list = append(list, differences(fmt.Sprintf("%s[%d]", at, i), m[i], s[i])...)
		}
		return list
	}
	if !same(model, service) {
		list = append(list, fmt.Sprintf("%s: got %.300s, want %.300s as in the model", at, fmt.Sprint(service), fmt.Sprint(model)))
	}
	return list
}
