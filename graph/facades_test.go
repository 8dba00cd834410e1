package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/token"
	"astrolabe/jobs/census"
	"astrolabe/node"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/index"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/rest"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
	"astrolabe/telemetry"
)

// counted is the template of repotest.Followed with the holder censuses of the
// census job, the flow ledger of the privacy pool, and verifications.
func counted(ctx context.Context, url string) error {
	if err := repotest.Followed(ctx, url); err != nil {
		return err
	}
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	pool, closeNode, err := simulated()
	if err != nil {
		return err
	}
	defer closeNode()
	worker := &census.Worker{
		Nodes: map[domain.Chain]token.Views{domain.Mainnet: pool.Source()}, Index: index.NewCheckpoints(db), Classes: index.NewArchive(db), Store: repositories.Census(db), Logger: slog.New(slog.DiscardHandler),
		Refresh: time.Hour, Retention: 6 * time.Hour,
	}
	return errors.Join(worker.Run(ctx, time.Now()), extendLedger(ctx, url), verified(ctx, url))
}

// verified records a verification of every other class, and two keys, one of which
// is revoked.
func verified(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest)
		SELECT chain, hash, id, '2026-07-01T12:00:00Z', CASE WHEN id % 8 = 0 THEN 'key-1' ELSE 'key-2' END, 'sha256:' || repeat('0a', 32) FROM classes WHERE id % 2 = 0`)
	if err == nil {
		_, err = conn.Exec(ctx, `INSERT INTO verification_keys (key_id, public_key, environment, toolchain_name, toolchain_version, toolchain_digest, not_before, not_after, revoked_at)
			SELECT 'key-' || n, decode(repeat('0' || n, 32), 'hex'), CASE n WHEN 1 THEN 'demo' ELSE 'production' END, 'scarb', '2.12.0', 'sha256:' || repeat('0a', 32),
				'2026-07-01T12:00:00Z', CASE n WHEN 1 THEN timestamptz '2026-08-01T12:00:00Z' END, CASE n WHEN 1 THEN timestamptz '2026-08-02T12:00:00.25Z' END FROM generate_series(1, 2) n`)
	}
	return errors.Join(err, conn.Close(ctx))
}

// simulated is an upstream node of the indexed chain.
func simulated() (pool *node.Pool, closeNode func(), err error) {
	pool, closeNode, _, err = countedNode()
	return pool, closeNode, err
}

// countedNode is an upstream node of the indexed chain that counts its calls.
func countedNode() (pool *node.Pool, closeNode func(), calls *atomic.Int64, err error) {
	world, err := simtest.Open(sim.Config{Blocks: 60})
	if err != nil {
		return nil, nil, nil, err
	}
	calls = new(atomic.Int64)
	handler := world.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		handler.ServeHTTP(w, r)
	}))
	if pool, err = node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{server.URL}}); err != nil {
		return nil, nil, nil, err
	}
	return pool, func() {
		pool.Close()
		server.Close()
		_ = world.Close()
	}, calls, nil
}

// facades are both facades over the same services.
type facades struct {
	*servedGraph
	rest http.Handler
}

func bothFacades(t *testing.T) *facades {
	t.Helper()
	return facadesOver(t, counted)
}

// facadesOver is like bothFacades over another template.
func facadesOver(t *testing.T, template func(context.Context, string) error) *facades {
	t.Helper()
	pool, closeNode, err := simulated()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeNode)
	db := repotest.OpenTemplate(t, template)
	var services *explorer.Services
	g := serveOver(t, db, time.Now, func(o *Options) {
		services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Nodes: map[domain.Chain]chain.Node{domain.Mainnet: pool.Source()}})
		o.Chains, o.Services, o.TimeLimit = []domain.Chain{domain.Mainnet}, services, 5*time.Minute
	})
	return &facades{g, rest.Handler(rest.Options{
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health), Version: g.Version,
		Chains: []domain.Chain{domain.Mainnet}, Services: services, Gate: g.access.Gate, Usage: account.NewUsage(accounts.NewUsage(db), time.Now),
	})}
}

// TestRESTAndGraphQLReturnTheSameFacts sends random requests for every operation
// of parity.yaml to both facades, follows their pages, and compares every
// field: some hundred requests, thousands when ASTROLABE_SOAK is set.
func TestRESTAndGraphQLReturnTheSameFacts(t *testing.T) {
	t.Parallel()
	f, p, w := bothFacades(t), loadParity(t), newWorld(repotest.Everyday(t), 1)
	rounds := 6
	if soak {
		rounds = 300
	}
	p.answers = map[string][]fact{}
	for id, o := range p.rest {
		if p.Operations[id].At != "" && !o.owned {
			p.answers[id] = p.facts(o, t.Fatalf)
		}
	}
	tallies := map[string]*tally{}
	for range rounds {
		var questions []question
		for _, id := range slices.Sorted(maps.Keys(p.answers)) {
			questions = append(questions, w.ask(p.rest[id], p.Operations[id]))
		}
		for len(questions) > 0 {
			now := questions[:min(len(questions), requestsPerOperation)]
			questions = questions[len(now):]
			for _, next := range f.compare(t, p, now, tallies) {
				if w.IntN(2) == 0 {
					questions = append(questions, next)
				}
			}
		}
	}
	sum := tally{}
	for id, o := range tallies {
		sum.sent, sum.rejected, sum.facts = sum.sent+o.sent, sum.rejected+o.rejected, sum.facts+o.facts
		if o.sent == o.rejected {
			t.Errorf("%s: every request was rejected, want some to succeed", id)
		}
	}
	t.Logf("%d requests, %d of them rejected, %d fields", sum.sent, sum.rejected, sum.facts)
}

// requestsPerOperation is how many requests are combined into one GraphQL operation.
const requestsPerOperation = 8

// tally counts the requests of an operation, the rejected ones and the fields.
type tally struct{ sent, rejected, facts int }

// answered is the result of a request; code is set when it was rejected.
type answered struct {
	value any
	code  domain.Code
}

// compare sends requests to both facades and returns the requests of the next
// pages.
func (f *facades) compare(t *testing.T, p *parity, questions []question, tallies map[string]*tally) (next []question) {
	t.Helper()
	there := f.askGraph(t, p, questions)
	for i, q := range questions {
		here := f.askREST(t, q)
		o := tallies[q.id]
		if o == nil {
			o = new(tally)
			tallies[q.id] = o
		}
		o.sent++
		if here.code != "" || there[i].code != "" {
			o.rejected++
			// An edge without a target is null without an error.
			absent := here.code == domain.CodeNotFound && there[i].code == "" && collect(there[i].value, split(p.Operations[q.id].At)[1:]) == nil
			if here.code != there[i].code && !absent {
				t.Errorf("%s %v: got code %q from GraphQL, want %q as from REST", q.id, q.values, there[i].code, here.code)
			}
			continue
		}
		for _, fact := range p.answers[q.id] {
			mine, theirs := collect(here.value, fact.rest), collect(there[i].value, fact.graph[1:])
			if fact.cursor {
				if end, more := collect(there[i].value, endCursor(fact)[1:]).(string); more && mine != nil {
					next = append(next, q.from(mine.(string), end))
				}
				mine = mine != nil
			}
			if !fact.moving && !agree(fact, mine, theirs) {
				t.Errorf("%s %v: got %v at %s from GraphQL, want %v at %s as from REST", q.id, q.values, theirs, fact.graph, mine, fact.rest)
			}
			o.facts += plainValues(mine)
		}
	}
	return next
}

// from returns the request of the next page.
func (q question) from(here, there string) question {
	q.values = maps.Clone(q.values)
	q.values["cursor"], q.after = []string{here}, there
	return q
}

// askREST retries once when a busy machine did not answer in time.
func (f *facades) askREST(t *testing.T, q question) (a answered) {
	t.Helper()
	for range 3 {
		r, w := q.request(), httptest.NewRecorder()
		f.setHeaders(r, nil)
		f.rest.ServeHTTP(w, r)
		a = answered{value: decode(t, w.Body.Bytes())}
		if w.Code == http.StatusOK {
			break
		}
		code, _ := a.value.(map[string]any)["code"].(string)
		if a.code = domain.Code(code); a.code != domain.CodeServiceUnavailable {
			break
		}
	}
	return a
}

// askGraph sends all requests in one operation, each under its own alias.
func (f *facades) askGraph(t *testing.T, p *parity, questions []question) []answered {
	t.Helper()
	var text strings.Builder
	for i, q := range questions {
		text.WriteString(q.field(t, p, fmt.Sprintf("q%d", i)) + "\n")
	}
	a := f.ask(t, "{"+text.String()+"}", nil)
	if a.body.Data == nil {
		t.Fatalf("got %s, want data for\n%s", a.text, text.String())
	}
	data := decode(t, a.body.Data).(map[string]any)
	all := make([]answered, len(questions))
	for i := range questions {
		all[i].value = data[fmt.Sprintf("q%d", i)]
	}
	for _, e := range a.body.Errors {
		place, err := strconv.Atoi(strings.TrimPrefix(fmt.Sprint(e.Path[0]), "q"))
		if err != nil {
			t.Fatal(err)
		}
		all[place].code = e.Extensions.Code
	}
	return all
}

// decode parses JSON and keeps the digits of its numbers.
func decode(t *testing.T, text []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// collect returns the values at a path; through a list, those of each of its
// items.
func collect(value any, names []string) any {
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = collect(item, names)
		}
		return list
	case map[string]any:
		if len(names) > 0 {
			return collect(v[names[0]], names[1:])
		}
	}
	return value
}

// agree compares the values of both facades. An empty list equals null.
func agree(f fact, here, there any) bool {
	mine, isList := here.([]any)
	theirs, isListThere := there.([]any)
	switch {
	case isList || isListThere:
		if len(mine)+len(theirs) == 0 {
			return (isList || here == nil) && (isListThere || there == nil)
		}
		return slices.EqualFunc(mine, theirs, func(a, b any) bool { return agree(f, a, b) })
	case here == nil || there == nil:
		return here == there
	}
	text := fmt.Sprint(here)
	if f.kind.Kind == ast.Enum {
		text = strings.ToUpper(text)
	}
	return text == fmt.Sprint(there)
}

// plainValues counts the values that are neither objects nor lists.
func plainValues(value any) (n int) {
	list, isList := value.([]any)
	if !isList {
		return 1
	}
	for _, item := range list {
		n += plainValues(item)
	}
	return n
}
