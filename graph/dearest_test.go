package graph

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/graph/limits"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// selected is a field of a document that grows.
type selected struct {
	*ast.FieldDefinition
	alias, arguments string
	on               *ast.Definition // the type that is selected from
	condition        string          // of an inline fragment around it
	children         []*selected
}

func (s *selected) text(b *strings.Builder) {
	if s.condition != "" {
		fmt.Fprintf(b, "...on %s{", s.condition)
	}
	if s.alias != "" {
		b.WriteString(s.alias + ":")
	}
	b.WriteString(s.Name + s.arguments)
	if len(s.children) > 0 {
		b.WriteByte('{')
		for _, child := range s.children {
			child.text(b)
			b.WriteByte(' ')
		}
		b.WriteByte('}')
	}
	if s.condition != "" {
		b.WriteByte('}')
	}
}

// dearest grows documents that cost as much as the limits accept.
type dearest struct {
	*world
	pricing pricing
	shapes  shapes
	aliases int
	classes []string
}

func newDearest(t *testing.T, seed uint64) *dearest {
	t.Helper()
	l := limits.Limits{}.WithDefaults()
	d := &dearest{
		world:   newWorld(repotest.Everyday(t), seed),
		pricing: pricing{limits: l, schema: schema, sizes: sizesOf(schema), prices: pricesOf(schema)},
		shapes:  shapes{limits: l},
	}
	for _, block := range d.blocks {
		for _, class := range block.Classes {
			d.classes = append(d.classes, class.Hash.String())
		}
	}
	return d
}

// grow adds fields until a number of attempts in a row is not accepted.
func (d *dearest) grow(attempts int) (text string, cost int) {
	root := &selected{FieldDefinition: &ast.FieldDefinition{}, on: schema.Query}
	for misses := 0; misses < attempts; {
		at := d.place(root)
		grown := d.field(at.on, 1+d.IntN(4))
		if d.IntN(3) == 0 && len(at.children) > 0 { // once more, under another name
			d.aliases++
			again := *oneOf(d.world, at.children)
			again.alias = fmt.Sprintf("a%d", d.aliases)
			grown = &again
		}
		at.children = append(at.children, grown)
		if next, price, ok := d.accepted(root); ok && price > cost {
			text, cost, misses = next, price, 0
			continue
		}
		at.children = at.children[:len(at.children)-1]
		misses++
	}
	return text, cost
}

// place returns the query or one of its objects.
func (d *dearest) place(s *selected) *selected {
	for {
		var objects []*selected
		for _, child := range s.children {
			if len(child.children) > 0 {
				objects = append(objects, child)
			}
		}
		if len(objects) == 0 || d.IntN(4) == 0 {
			return s
		}
		s = oneOf(d.world, objects)
	}
}

// field selects a field of a type that a caller without a key may read, and
// below it one to this depth.
func (d *dearest) field(of *ast.Definition, depth int) *selected {
	s := &selected{}
	if of.IsAbstractType() {
		of = oneOf(d.world, schema.GetPossibleTypes(of))
		s.condition = of.Name
	}
	for {
		field := oneOf(d.world, of.Fields)
		tier := field.Directives.ForName("tier")
		denied := tier != nil && tier.Arguments.ForName("permission").Value.Raw != "READ"
		s.on = schema.Types[field.Type.Name()]
		if denied || strings.HasPrefix(field.Name, "__") || depth <= 1 && s.on.IsCompositeType() && d.IntN(8) > 0 {
			continue
		}
		s.FieldDefinition, s.arguments = field, d.arguments(field)
		break
	}
	if s.arguments != "" {
		d.aliases++
		s.alias = fmt.Sprintf("a%d", d.aliases)
	}
	if s.on.IsCompositeType() {
		s.children = []*selected{d.field(s.on, depth-1)}
	}
	return s
}

// arguments gives a field what it requires and the largest pages.
func (d *dearest) arguments(f *ast.FieldDefinition) string {
	var given []string
	for _, a := range f.Arguments {
		if a.Name != "first" && (!a.Type.NonNull || a.DefaultValue != nil) {
			continue
		}
		given = append(given, a.Name+":"+d.value(f, a.Name, a.Type))
	}
	if len(given) == 0 {
		return ""
	}
	return "(" + strings.Join(given, ",") + ")"
}

func (d *dearest) value(f *ast.FieldDefinition, name string, t *ast.Type) string {
	if t.Elem != nil {
		values := make([]string, 1+d.IntN(100))
		for i := range values {
			values[i] = d.value(f, name, t.Elem)
		}
		return "[" + strings.Join(values, ",") + "]"
	}
	s := d.scene()
	felt := s.tx().Hash.String()
	switch {
	case name == "selector":
		felt = starknet.Selector("total_supply").String()
	case f.Name == "token":
		felt = oneOf(d.world, d.tokens)
	case f.Name == "class":
		felt = oneOf(d.world, d.classes)
	case f.Name == "contract":
		felt = s.event.FromAddress.String()
	case strings.HasPrefix(name, "address"), name == "ownerAddress":
		felt = oneOf(d.world, d.parties)
	}
	switch t.NamedType {
	case "Int":
		return oneOf(d.world, []string{"5", "25", "100", fmt.Sprint(max(1, d.pricing.sizes[f].maximum))})
	case "ChainId":
		return "SN_MAIN"
	case "ID":
		return `"` + globalID{transactionType, domain.Mainnet, felt}.String() + `"`
	case "DateTime":
		return `"` + time.Unix(int64(s.block.Header.Timestamp), 0).UTC().Format(time.RFC3339) + `"`
	case "EventFilter":
		return `{addresses:["` + s.event.FromAddress.String() + `"]}`
	case "WalletStateInput":
		return `{mode:VERIFIED_PARTIAL,ownerAddress:"` + oneOf(d.world, d.parties) + `"}`
	case "Felt":
		return `"` + felt + `"`
	default:
		return `"eth"`
	}
}

// accepted returns the text and the cost of a document within the limits.
func (d *dearest) accepted(root *selected) (text string, cost int, ok bool) {
	var b strings.Builder
	root.text(&b)
	text = b.String()
	doc, invalid := gqlparser.LoadQueryWithRules(schema, text, validation(false))
	if len(invalid) > 0 || d.shapes.check(doc) != nil || len(text) > d.shapes.limits.BodyBytes/2 || tokens(text) > d.shapes.limits.Tokens {
		return "", 0, false
	}
	cost, _, err := d.pricing.costOf(doc.Operations[0], nil)
	return text, cost, err == nil && cost <= d.pricing.limits.Cost
}

// serveLong serves repotest.Long with its node and the default limits.
func serveLong(t *testing.T) *servedGraph {
	t.Helper()
	pool, closeNode, err := simulated()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeNode)
	db := repotest.OpenTemplate(t, repotest.Long)
	return serveOver(t, db, time.Now, func(o *Options) {
		o.Chains = []domain.Chain{domain.Mainnet}
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors, Nodes: map[domain.Chain]chain.Node{domain.Mainnet: pool.Source()}})
	})
}

// run is one execution of a document.
type run struct {
	text          string
	cost          int
	status, bytes int
	took          time.Duration
	allocated     uint64
}

// measure sends a document and drops the response.
func (g *servedGraph) measure(t *testing.T, r run) run {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url, strings.NewReader(string(encode(map[string]string{"query": r.text}))))
	if err != nil {
		t.Fatal(err)
	}
	g.setHeaders(request, map[string]string{"Content-Type": mediaJSON, "Accept": mediaResponse, "X-Service-Api-Key": g.access.Keys[account.Read]})
	began := time.Now()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return r
	}
	defer response.Body.Close()
	size, err := io.Copy(io.Discard, response.Body)
	if err != nil {
		t.Error(err)
	}
	r.status, r.bytes, r.took = response.StatusCode, int(size), time.Since(began)
	return r
}

// lateness is how late a busy machine may be to notice that the time is over.
const lateness = 5 * time.Second

// maxMemory is what the process may take while the worst operations run.
const maxMemory = 512 << 20

// TestDearestAcceptedOperationsFitIntoMemoryAndTime searches the schema for the
// dearest operations that the limits accept, and executes the 16 that allocate
// the most at once. It is not parallel: it measures the process.
func TestDearestAcceptedOperationsFitIntoMemoryAndTime(t *testing.T) {
	repotest.SkipRaced(t)
	documents, attempts := 24, 15
	if soak {
		documents, attempts = 100, 60
	}
	g := serveLong(t)
	var runs []run
	began, searching := time.Now(), time.Duration(0)
	for seed := range documents {
		at := time.Now()
		text, cost := newDearest(t, uint64(seed)).grow(attempts)
		searching += time.Since(at)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := g.measure(t, run{text: text, cost: cost})
		runtime.ReadMemStats(&after)
		r.allocated = after.TotalAlloc - before.TotalAlloc
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b run) int { return int(b.allocated>>10) - int(a.allocated>>10) })
	worst := runs[:16]
	peak := repotest.PeakMemory(func() {
		var all sync.WaitGroup
		for i := range worst {
			all.Go(func() { worst[i] = g.measure(t, worst[i]) })
		}
		all.Wait()
	})
	for _, r := range worst {
		t.Logf("cost %d, allocated %d MB; among 16: status %d, %d KB in %v: %.60s", r.cost, r.allocated>>20, r.status, r.bytes>>10, r.took.Round(time.Millisecond), r.text)
		if allowed := g.TimeLimit + lateness; r.took > allowed {
			t.Errorf("got an answer after %v, want one within %v: %s", r.took, allowed, r.text)
		}
	}
	t.Logf("peak %d MB; searched %v of %v", peak>>20, searching.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	if peak > maxMemory {
		t.Errorf("got a peak of %d MB, want at most %d MB", peak>>20, maxMemory>>20)
	}
}
