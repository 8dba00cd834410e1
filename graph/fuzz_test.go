package graph

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/domain"
)

// FuzzOperation sends arbitrary bytes as a body, then a random operation that
// the seed generates: neither may fail the server.
func FuzzOperation(f *testing.F) {
	for seed, body := range []string{
		`{"query":"{__typename}"}`,
		`{"query":"query($c:ChainId!){status(chain:$c){asOf}}","variables":{"c":"SN_MAIN"}}`,
		`{"query":"{nodes(ids:[\"Q2hhaW46U05fTUFJTjo\"]){id ...F}} fragment F on Chain{status{headBlockNumber}}"}`,
		`{"query":"{chains(first:1,after:\"x\"){nodes{id}}}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}`,
		`[{"query":"{__schema{types{name}}}"}]`,
		`{"query":"{a:service@skip(if:true){limits{name}}}","operationName":null,"variables":{"a":[1,{"b":null}]}}`,
		`{"query":"query($i:[ID!]!=[[1]]){nodes(ids:$i){id}}"}`,
		``,
	} {
		f.Add([]byte(body), uint64(seed))
	}
	g := explore(f)
	f.Fuzz(func(t *testing.T, body []byte, seed uint64) {
		g.survives(t, string(body))
		g.survives(t, randomBody(seed))
	})
}

// TestRandomOperationsNeverFailTheServer is the fuzz target at a fixed size:
// small by default, 100,000 when ASTROLABE_SOAK is set.
func TestRandomOperationsNeverFailTheServer(t *testing.T) {
	t.Parallel()
	g := explore(t)
	rounds := uint64(800)
	if soak {
		rounds = 100_000
	}
	answered := 0
	for seed := range rounds {
		if g.survives(t, randomBody(seed)) {
			answered++
		}
	}
	if answered < int(rounds)/10 {
		t.Errorf("got %d of %d operations with data, want at least a tenth", answered, rounds)
	}
}

// survives sends a body and reports whether the response has data. The size of
// operations is bounded, so that they are answered within a minute on the
// busiest machine.
func (g *servedGraph) survives(t *testing.T, body string) bool {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	g.setHeaders(r, map[string]string{"Content-Type": "application/json", "Accept": mediaResponse})
	began := time.Now()
	g.ServeHTTP(w, r)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v, want at most a minute\nsent %s", took, body)
	}
	var answer struct {
		Data   json.RawMessage
		Errors []wireError
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%v\nsent %s\ngot %s", err, body, w.Body)
	}
	if w.Code >= 500 {
		t.Fatalf("got status %d, want less than 500\nsent %s\ngot %s", w.Code, body, w.Body)
	}
	for _, e := range answer.Errors {
		if e.Extensions.Code == domain.CodeInternal || e.Extensions.Code == "" {
			t.Fatalf("got an internal error, want another code\nsent %s\ngot %s\nlogged %s", body, w.Body, g.log)
		}
	}
	return answer.Data != nil
}

// randomBody generates an operation from the schema that is mostly valid.
func randomBody(seed uint64) string {
	r := &grower{Rand: rand.New(rand.NewPCG(seed, 7))}
	root := schema.Query
	kind := "query"
	if r.IntN(50) == 0 {
		root, kind = schema.Subscription, "subscription"
	}
	text := r.selection(root, 6)
	if strings.Contains(text, "...F") {
		text += " fragment F on Chain " + r.selection(schema.Types["Chain"], 2)
	}
	declared := ""
	for _, variable := range []string{"$chain: ChainId! = SN_MAIN", "$yes: Boolean! = true"} {
		if name, _, _ := strings.Cut(variable, ":"); strings.Contains(text, name) {
			declared += variable
		}
	}
	if declared != "" {
		kind += "(" + declared + ")"
	}
	text = kind + text
	if r.IntN(30) == 0 {
		at := r.IntN(len(text))
		text = text[:at] + r.pick("{", "}", "...", "\"", "@", "\x00", "ü", "$x", ":") + text[at:]
	}
	variables := map[string]any{}
	if r.IntN(4) == 0 {
		variables[r.pick("chain", "yes", "other")] = []any{nil, true, "SN_SEPOLIA", 7, "sn_main", []any{}, map[string]any{"a": 1}}[r.IntN(7)]
	}
	return string(encode(map[string]any{"query": text, "variables": variables}))
}

type grower struct {
	*rand.Rand
	aliases int
}

func (r *grower) pick(choices ...string) string { return choices[r.IntN(len(choices))] }

// selection selects some fields of a type.
func (r *grower) selection(t *ast.Definition, depth int) string {
	var text strings.Builder
	text.WriteString("{__typename ")
	for range 1 + r.IntN(4) {
		if len(t.Fields) == 0 || depth == 0 {
			break
		}
		field := t.Fields[r.IntN(len(t.Fields))]
		if r.IntN(40) == 0 {
			text.WriteString(r.pick("nothing ", "...Missing ", "...F ", "... on Chain {id} ", "... {__typename} "))
		}
		if len(field.Arguments) > 0 || r.IntN(5) == 0 {
			r.aliases++
			fmt.Fprintf(&text, "a%d:", r.aliases)
		}
		text.WriteString(field.Name + r.arguments(field.Arguments))
		if r.IntN(10) == 0 {
			text.WriteString(r.pick("@skip(if:true)", "@include(if:$yes)", "@include(if:$yes)", "@skip(if:$chain)", "@other"))
		}
		if inner := schema.Types[field.Type.Name()]; inner.IsCompositeType() {
			text.WriteString(r.selection(inner, depth-1))
		}
		text.WriteByte(' ')
	}
	return text.String() + "}"
}

func (r *grower) arguments(definitions ast.ArgumentDefinitionList) string {
	var given []string
	for _, d := range definitions {
		if (!d.Type.NonNull || d.DefaultValue != nil) && r.IntN(3) > 0 {
			continue
		}
		given = append(given, d.Name+":"+r.value(d.Type))
	}
	if len(given) == 0 {
		return ""
	}
	return "(" + strings.Join(given, ",") + ")"
}

// value writes a literal, nearly always of the right type.
func (r *grower) value(t *ast.Type) string {
	if r.IntN(30) == 0 {
		return r.pick("null", "7", `"x"`, "[]", "{a:1}", "1.5", "99999999999999999999", "$chain", "$gone", "NAME")
	}
	if t.Elem != nil {
		return "[" + r.value(t.Elem) + "," + r.value(t.Elem) + "]"
	}
	switch t.NamedType {
	case "Int":
		return r.pick("1", "2", "3", "28", "100", "101", "-1")
	case "Boolean":
		return r.pick("true", "false")
	case "ChainId":
		return r.pick("SN_MAIN", "SN_SEPOLIA", "$chain")
	case "ID":
		kind := r.pick(chainType, blockType, transactionType, contractType, classType, tokenType, addressType, messageType, "Nothing")
		key := r.pick("", strk, bridgeAddress, strings.Trim(somewhere, `"`), "0x1", "x")
		return `"` + r.pick("bad", globalID{kind, domain.Mainnet, key}.String(), globalID{kind, domain.Mainnet, key}.String(), globalID{kind, domain.Sepolia, key}.String()) + `"`
	case "Felt", "Hash256":
		return r.pick(`"`+strk+`"`, `"`+bridgeAddress+`"`, somewhere, `"0x1"`, `"0x0"`, `"x"`)
	case "DateTime":
		return r.pick(`"2026-01-01T00:03:02Z"`, `"2100-01-01T00:00:00Z"`, `"x"`)
	case "Cursor":
		return r.pick("null", "null", "null", `"x"`)
	case "String":
		return r.pick(`"28"`, `"latest"`, `"STRK"`, somewhere, `""`)
	}
	switch d := schema.Types[t.NamedType]; d.Kind {
	case ast.Enum:
		return d.EnumValues[r.IntN(len(d.EnumValues))].Name
	case ast.InputObject:
		var given []string
		for _, f := range d.Fields {
			if f.Type.NonNull && f.DefaultValue == nil || r.IntN(3) == 0 {
				given = append(given, f.Name+":"+r.value(f.Type))
			}
		}
		return "{" + strings.Join(given, ",") + "}"
	}
	return `"x"`
}
