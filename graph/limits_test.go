package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"astrolabe/domain"
	"astrolabe/graph/limits"
)

// tight are limits that small operations exceed.
var tight = limits.Limits{
	BodyBytes: 4000, Tokens: 200, Depth: 4, Aliases: 3, NameBytes: 20, RootFields: 5, Directives: 2, Repeats: 1, Cost: 60, ResponseBytes: 1000,
}

func TestEveryLimitErrorNamesItsLimit(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits = tight })
	for _, c := range []struct {
		limit  string
		query  string
		max    int
		actual int
		code   domain.Code
	}{
		{limits.Tokens, "{" + strings.Repeat("__typename ", 199) + "}", 200, 201, domain.CodeInvalidRequest},
		{limits.Tokens, strings.Repeat("#\n", 198) + "{__typename}", 200, 201, domain.CodeInvalidRequest},
		{limits.Depth, "{chains{edges{node{status{asOf}}}}}", 4, 5, domain.CodeInvalidRequest},
		{limits.Depth, "{chains{edges{node{...F}}}} fragment F on Chain{status{asOf}}", 4, 5, domain.CodeInvalidRequest},
		{limits.Aliases, "{a:__typename b:__typename c:__typename d:__typename}", 3, 4, domain.CodeInvalidRequest},
		{limits.Name, "{service{" + strings.Repeat("a", 21) + ":version}}", 20, 21, domain.CodeInvalidRequest},
		{limits.RootFields, "{__typename ...F ...F} fragment F on Query{chains{totalCount} service{version} __typename}", 5, 7, domain.CodeInvalidRequest},
		{limits.Directives, "{__typename @skip(if:false) @include(if:true) ... @include(if:true){__typename}}", 2, 3, domain.CodeInvalidRequest},
		{limits.Repeats, "{__typename __typename __typename}", 1, 2, domain.CodeInvalidRequest},
		{limits.Cost, "{chains(first:20){nodes{id chainId chainIdFelt}}}", 60, 62, domain.CodeInvalidRequest},
		{limits.Response, "{service{limits{name description}}}", 1000, 0, domain.CodePayloadTooLarge},
	} {
		a := g.ask(t, c.query, nil)
		if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Limit == nil {
			t.Errorf("%s: got %s, want one error of a limit", c.limit, a.text)
			continue
		}
		e := a.body.Errors[0]
		if got := e.Extensions.Limit; got.Name != c.limit || got.Max != c.max || c.actual != 0 && got.Actual != c.actual {
			t.Errorf("%s: got %+v, want max %d and actual %d", c.limit, got, c.max, c.actual)
		}
		if e.Extensions.Code != c.code || !strings.Contains(e.Message, c.limit) || a.body.Data != nil {
			t.Errorf("%s: got %s, want %s without data", c.limit, a.text, c.code)
		}
	}
}

func TestBodyOverTheSizeLimitIsRejected(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits = tight })
	a := g.post(t, `{"query":"{__typename}","extensions":{"padding":"`+strings.Repeat("x", 4000)+`"}}`, nil)
	if a.status != 413 || len(a.body.Errors) != 1 {
		t.Fatalf("got status %d with %s, want 413 with one error", a.status, a.text)
	}
	if e := a.body.Errors[0].Extensions; e.Code != domain.CodePayloadTooLarge || e.Limit.Name != limits.Body || e.Limit.Max != 4000 {
		t.Errorf("got %s, want %s with the limit %s of 4000", a.text, domain.CodePayloadTooLarge, limits.Body)
	}
}

func TestServiceReportsItsLimits(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.Depth = 7 })
	got := map[string]int{}
	for _, limit := range g.Limits.List() {
		got[limit.Name] = limit.Max
	}
	want := map[string]int{
		limits.Body: 256 << 10, limits.Tokens: 4000, limits.Depth: 7, limits.Aliases: 100, limits.Name: 256, limits.RootFields: 20, limits.Directives: 50,
		limits.Repeats: 50, limits.Cost: 300_000, limits.Response: 16 << 20, limits.Streams: 3072, limits.Caller: 100, limits.Messages: 50, limits.Operations: 32,
		limits.Resume: 10_000,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
	if a := g.ask(t, "{service{limits{name max}}}", nil); !strings.Contains(a.text, `{"name":"depth","max":7}`) {
		t.Errorf("got %s, want the depth 7", a.text)
	}
}

// TestResponseNamesAreMeasuredWhileTheResultIsBuilt expects the execution to end
// at the first name over the limit, not at the size of the whole result.
func TestResponseNamesAreMeasuredWhileTheResultIsBuilt(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.Limits.ResponseBytes = 2000 })
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "%s%02d:version ", strings.Repeat("a", 200), i)
	}
	a := g.ask(t, "{service{"+text.String()+"}}", nil)
	if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Limit == nil || a.body.Errors[0].Extensions.Limit.Name != limits.Response {
		t.Fatalf("got %s, want an error of %s", a.text, limits.Response)
	}
	if got := a.body.Errors[0].Extensions.Limit.Actual; got > 5000 {
		t.Errorf("got an end after %d bytes, want it soon after 2000", got)
	}
}

func TestCostCountsTheValuesOfAnOperation(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	for query, want := range map[string]int{
		`{__typename}`:       1,
		`{service{version}}`: 2,
		`{chains(first:5){nodes{` + strings.Repeat("a", 128) + `:id}}}`: 17,
		`{service{chains}}`:                                                3,
		`{chains{totalCount}}`:                                             2,
		`{chains(first:5){nodes{id chainId}}}`:                             12,
		`{chains{nodes{id}}}`:                                              27,
		`{chains(first:5){nodes{id}edges{cursor}}}`:                        13,
		`{chains(first:5){...F}} fragment F on ChainConnection{nodes{id}}`: 7,
		`{nodes(ids:["a","b","c"]){id}}`:                                   4,
		`{nodes(ids:"a"){id}}`:                                             2,
		`{service @skip(if:true){version} __typename}`:                     1,
		`{...@include(if:false){service{version}} __typename}`:             1,
		`query($yes:Boolean=true){service @skip(if:$yes){version} __typename @include(if:$yes)}`: 1,
	} {
		a := g.ask(t, query, nil)
		if a.body.Extensions.Cost.Requested != want || a.body.Extensions.Cost.Limit != 300_000 {
			t.Errorf("%s: got the cost %+v, want %d: %s", query, a.body.Extensions.Cost, want, a.text)
		}
	}
}

func TestCostOfNestedFragmentsTakesLinearTime(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	var doubling strings.Builder
	doubling.WriteString("{service{...F0}}")
	for i := range 300 {
		fmt.Fprintf(&doubling, "fragment F%d on Service{...F%d ...F%d}", i, i+1, i+1)
	}
	doubling.WriteString("fragment F300 on Service{version}")
	a := g.ask(t, doubling.String(), nil)
	if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Limit == nil || a.body.Errors[0].Extensions.Limit.Name != limits.Cost {
		t.Errorf("got %s, want one error of the limit %s", a.text, limits.Cost)
	}
}

// TestFragmentCostsByTheItemsOfItsConnection spreads one fragment in a small
// and a large page, in both orders.
func TestFragmentCostsByTheItemsOfItsConnection(t *testing.T) {
	t.Parallel()
	p := pricing{schema: schema, sizes: sizesOf(schema)}
	const small, large = "a:blocks(chain:SN_MAIN first:1){...P}", "b:blocks(chain:SN_MAIN first:50){...P}"
	for _, pages := range []string{small + " " + large, large + " " + small} {
		doc := gqlparser.MustLoadQueryWithRules(schema, "{"+pages+"} fragment P on BlockConnection{nodes{blockNumber}}", rules.NewDefaultRules())
		const want = 2 + (1 + 1) + (1 + 50) // two lists, their nodes and a number each
		if cost, _, err := p.costOf(doc.Operations[0], nil); err != nil || cost != want {
			t.Errorf("%s: got the cost %d and %v, want %d", pages, cost, err, want)
		}
	}
}

func TestFragmentCycleIsRejected(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	a := g.ask(t, "{service{...A}} fragment A on Service{...B} fragment B on Service{...A}", nil)
	if len(a.body.Errors) == 0 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest {
		t.Errorf("got %s, want %s", a.text, domain.CodeInvalidRequest)
	}
}

// TestLargestPageFitsTheDefaultCost computes the cost of the explorer's nested
// query, with and without __typename in every object.
func TestLargestPageFitsTheDefaultCost(t *testing.T) {
	t.Parallel()
	p := pricing{schema: schema, sizes: sizesOf(schema)}
	limit := limits.Limits{}.WithDefaults().Cost
	typed := strings.ReplaceAll(richestPage[1:], "{", "{__typename ")
	for query, want := range map[string]int{richestPage: 134_102, "{" + typed: 247_203} {
		doc := gqlparser.MustLoadQueryWithRules(schema, query, rules.NewDefaultRules())
		cost, _, err := p.costOf(doc.Operations[0], nil)
		if err != nil || cost != want || cost > limit {
			t.Errorf("got the cost %d of %d and %v, want %d", cost, limit, err, want)
		}
	}
}

func TestIntrospectionDepthIsLimited(t *testing.T) {
	t.Parallel()
	g := serve(t, nil)
	a := g.ask(t, `{__schema{types{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}`, nil)
	if a.body.Data != nil || len(a.body.Errors) == 0 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest {
		t.Errorf("circular introspection: got %s, want %s without data", a.text, domain.CodeInvalidRequest)
	}
	wide := g.ask(t, `{__schema{types{fields{args{type{fields{args{type{name}}}}}}}}}`, nil)
	if wide.body.Extensions.Cost.Requested < 1000 {
		t.Errorf("got …%s, want a cost of at least 1000", wide.text[max(0, len(wide.text)-200):])
	}
}
