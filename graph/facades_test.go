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
	"os"
	"slices"
	"strconv"
	"strings"
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
	"astrolabe/telemetry"
)

// counted is the template of repotest.Followed with the censuses that the job
// makes of it, and verifications.
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
	return errors.Join(worker.Run(ctx, time.Now()), verified(ctx, url))
}

// verified records verifications of every other class.
func verified(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest)
		SELECT chain, hash, id, '2026-07-01T12:00:00Z', 'key-1', 'sha256:' || repeat('0a', 32) FROM classes WHERE id % 2 = 0`)
	return errors.Join(err, conn.Close(ctx))
}

// simulated is a node of the very chain that is indexed.
func simulated() (pool *node.Pool, closeNode func(), err error) {
	world, err := sim.New(sim.Config{Blocks: 60})
	if err != nil {
		return nil, nil, err
	}
	server := httptest.NewServer(world.Handler())
	if pool, err = node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{server.URL}}); err != nil {
		return nil, nil, err
	}
	return pool, func() {
		pool.Close()
		server.Close()
		_ = world.Close()
	}, nil
}

// facades are both facades over the same services.
type facades struct {
	*servedGraph
	rest http.Handler
}

func bothFacades(t *testing.T) *facades {
	t.Helper()
	pool, closeNode, err := simulated()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeNode)
	db := repotest.OpenTemplate(t, counted)
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

// TestRESTAndGraphQLReturnTheSameFacts asks both random questions of every operation
// that parity.yaml has a place for, follows their pages, and compares every
// fact: some hundred questions, thousands when ASTROLABE_SOAK is set.
func TestRESTAndGraphQLReturnTheSameFacts(t *testing.T) {
	t.Parallel()
	f, p, w := bothFacades(t), loadParity(t), newWorld(repotest.Everyday(t), 1)
	rounds := 6
	if os.Getenv("ASTROLABE_SOAK") != "" {
		rounds = 300
	}
	p.answers = map[string][]fact{}
	for id, o := range p.rest {
		if p.Operations[id].At != "" && !o.session {
			p.answers[id] = p.facts(o, t.Fatalf)
		}
	}
	tally := map[string]*fared{}
	for range rounds {
		var questions []question
		for _, id := range slices.Sorted(maps.Keys(p.answers)) {
			questions = append(questions, w.ask(p.rest[id], p.Operations[id]))
		}
		for len(questions) > 0 {
			now := questions[:min(len(questions), questionsAtOnce)]
			questions = questions[len(now):]
			for _, next := range f.compare(t, p, now, tally) {
				if w.IntN(2) == 0 {
					questions = append(questions, next)
				}
			}
		}
	}
	sum := fared{}
	for id, o := range tally {
		sum.asked, sum.refused, sum.facts = sum.asked+o.asked, sum.refused+o.refused, sum.facts+o.facts
		if o.asked == o.refused {
			t.Errorf("%s was never answered", id)
		}
	}
	t.Logf("%d questions, %d of them refused, %d facts", sum.asked, sum.refused, sum.facts)
}

// questionsAtOnce is how many questions one operation of the graph asks.
const questionsAtOnce = 8

// fared is how questions fared.
type fared struct{ asked, refused, facts int }

// answered is what came of a question; the code tells why nothing did.
type answered struct {
	value any
	code  domain.Code
}

// compare asks questions through both facades and returns those of the next
// pages.
func (f *facades) compare(t *testing.T, p *parity, questions []question, tally map[string]*fared) (next []question) {
	t.Helper()
	there := f.askGraph(t, p, questions)
	for i, q := range questions {
		here := f.askREST(t, q)
		o := tally[q.id]
		if o == nil {
			o = new(fared)
			tally[q.id] = o
		}
		o.asked++
		if here.code != "" || there[i].code != "" {
			o.refused++
			// An edge that leads nowhere is null without an error.
			absent := here.code == domain.CodeNotFound && there[i].code == "" && collect(there[i].value, split(p.Operations[q.id].At)[1:]) == nil
			if here.code != there[i].code && !absent {
				t.Errorf("%s %v: %q here and %q there", q.id, q.values, here.code, there[i].code)
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
				t.Errorf("%s %v: %s is %v here, %s is %v there", q.id, q.values, fact.rest, mine, fact.graph, theirs)
			}
			o.facts += plainValues(mine)
		}
	}
	return next
}

// from is the question of the next page.
func (q question) from(here, there string) question {
	q.values = maps.Clone(q.values)
	q.values["cursor"], q.after = []string{here}, there
	return q
}

// askREST asks once more where a busy machine did not answer in time.
func (f *facades) askREST(t *testing.T, q question) (a answered) {
	t.Helper()
	for range 3 {
		r, w := q.request(), httptest.NewRecorder()
		f.show(r, nil)
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

// askGraph asks for all questions at once, each under its own name.
func (f *facades) askGraph(t *testing.T, p *parity, questions []question) []answered {
	t.Helper()
	var text strings.Builder
	for i, q := range questions {
		text.WriteString(q.field(t, p, fmt.Sprintf("q%d", i)) + "\n")
	}
	a := f.ask(t, "{"+text.String()+"}", nil)
	if a.body.Data == nil {
		t.Fatalf("%s\n%s", a.text, text.String())
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

// decode reads JSON whose numbers keep their digits.
func decode(t *testing.T, text []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// collect returns what names lead to; through a list, what they lead to from
// each of its items.
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

// agree compares what both say of a fact. An empty list is as good as none.
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

// plainValues counts them.
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
