package graph

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/vektah/gqlparser/v2/ast"
	"go.yaml.in/yaml/v3"

	"astrolabe/rest/contracttest"
)

// fieldMap maps the fields of an operation's response, or of an object in it, to
// GraphQL fields. The head of parity.yaml explains its parts.
type fieldMap struct {
	At        string
	Without   string
	Arguments map[string]string
	Unasked   map[string][]string
	Above     map[string]string
	Moving    []string
	Is        string
	Same      []string
	As        map[string]string
	Not       map[string]string
}

// parity is parity.yaml with the OpenAPI document that it maps.
type parity struct {
	Operations map[string]fieldMap
	Objects    map[string]fieldMap
	rest       map[string]*restOperation
	answers    map[string][]fact // by operation, where requests are compared
}

// restOperation is an operation of the OpenAPI document.
type restOperation struct {
	id, method, path string
	params           map[string]restParam
	answer           *openapi3.SchemaRef
	owned            bool // it is about what only its caller can read or change
}

// restParam is a parameter or a field of the request body.
type restParam struct {
	in     string
	schema *openapi3.SchemaRef
}

// fact is a plain value of a response and its GraphQL field.
type fact struct {
	rest, graph []string // the paths of the value
	kind        *ast.Definition
	cursor      bool // GraphQL has hasNextPage instead
	moving      bool
}

func loadParity(t *testing.T) *parity {
	t.Helper()
	text, err := os.ReadFile("parity.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := &parity{rest: map[string]*restOperation{}}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&struct{ Operations, Objects *map[string]fieldMap }{&p.Operations, &p.Objects}); err != nil {
		t.Fatal(err)
	}
	document, err := contracttest.Load()
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			p.rest[operation.OperationID] = readOperation(method, path, operation)
		}
	}
	return p
}

func readOperation(method, path string, o *openapi3.Operation) *restOperation {
	r := &restOperation{id: o.OperationID, method: method, path: path, params: map[string]restParam{}, owned: strings.HasPrefix(path, "/v1/me/") || strings.Contains(path, "/verification-jobs") || strings.Contains(path, "/prove")}
	for _, parameter := range o.Parameters {
		r.params[parameter.Value.Name] = restParam{parameter.Value.In, parameter.Value.Schema}
	}
	if o.RequestBody != nil {
		for _, media := range o.RequestBody.Value.Content {
			for name, schema := range media.Schema.Value.Properties {
				r.params[name] = restParam{"body", schema}
			}
		}
	}
	success := o.Responses.Status(http.StatusOK)
	if success == nil { // a WebSocket
		return r
	}
	for _, media := range success.Value.Content {
		r.answer = media.Schema
	}
	return r
}

// unwrap removes lists and nullability from a schema and returns the names on
// the way.
func unwrap(ref *openapi3.SchemaRef) (names []string, schema *openapi3.Schema) {
	for {
		if ref.Ref != "" {
			names = append(names, ref.Ref[strings.LastIndex(ref.Ref, "/")+1:])
		}
		switch schema = ref.Value; {
		case len(schema.OneOf) > 0:
			ref = schema.OneOf[slices.IndexFunc(schema.OneOf, func(one *openapi3.SchemaRef) bool { return one.Value.Type == nil || !one.Value.Type.Is("null") })]
		case len(schema.AllOf) == 1: // a schema with its own description
			ref = schema.AllOf[0]
		case schema.Items != nil:
			ref = schema.Items
		default:
			return names, schema
		}
	}
}

// object returns the map of an object schema, if it has its own.
func (p *parity) object(ref *openapi3.SchemaRef) (name string, m fieldMap, known bool) {
	names, _ := unwrap(ref)
	for _, name := range names {
		if m, known := p.Objects[name]; known {
			return name, m, true
		}
	}
	return "", fieldMap{}, false
}

// fields returns the fields of a schema by their paths, through objects that
// have no map of their own.
func (p *parity) fields(ref *openapi3.SchemaRef) map[string]*openapi3.SchemaRef {
	_, schema := unwrap(ref)
	all := map[string]*openapi3.SchemaRef{}
	for name, property := range schema.Properties {
		_, inside := unwrap(property)
		if _, _, known := p.object(property); known || len(inside.Properties) == 0 {
			all[name] = property
			continue
		}
		for path, inner := range p.fields(property) {
			all[name+"."+path] = inner
		}
	}
	return all
}

// target returns the GraphQL path of a field, from the object of the map or,
// if it is above, from the root.
func (m fieldMap) target(field string) (path string, above, mapped bool) {
	if slices.Contains(m.Same, field) {
		return field, false, true
	}
	if path, mapped = m.Above[field]; mapped {
		return path, true, true
	}
	path, mapped = m.As[field]
	return strings.Trim(path, "."), false, mapped
}

// left reports whether a field, or an object that contains it, is not in GraphQL.
func (m fieldMap) left(field string) bool {
	for name := range m.Not {
		if field == name || strings.HasPrefix(field, name+".") {
			return true
		}
	}
	return false
}

func split(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// facts lists every plain value of an operation's response, and reports errors
// of the map.
func (p *parity) facts(o *restOperation, report func(format string, values ...any)) []fact {
	m := p.Operations[o.id]
	return p.expand(expansion{where: o.id, m: m, schema: o.answer, graph: split(m.At), root: o.root(), report: report})
}

// root is the type at which the paths of an operation start.
func (o *restOperation) root() *ast.Definition {
	if o.owned && o.method != http.MethodGet {
		return schema.Mutation
	}
	return schema.Query
}

// expansion is the path to an object of a response.
type expansion struct {
	where       string
	m           fieldMap
	schema      *openapi3.SchemaRef
	rest, graph []string
	root        *ast.Definition
	report      func(format string, values ...any)
}

func (p *parity) expand(e expansion) (facts []fact) {
	fields := p.fields(e.schema)
	e.reportUnknownFields(fields)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		path, above, mapped := e.m.target(field)
		if mapped == e.m.left(field) {
			e.report("%s: %s must be in one of same, as, above and not", e.where, field)
			continue
		}
		if !mapped {
			continue
		}
		graph := split(path)
		if !above {
			graph = slices.Concat(e.graph, graph)
		}
		kind, err := reach(e.root, graph)
		if err != nil {
			e.report("%s: %s: %v", e.where, field, err)
			continue
		}
		inner := e
		inner.rest, inner.graph, inner.schema = slices.Concat(e.rest, split(field)), graph, fields[field]
		if name, m, known := p.object(inner.schema); known {
			if kind.Name != m.Is {
				e.report("%s: %s is %s, a %s and not a %s", e.where, field, name, kind.Name, m.Is)
			}
			inner.where, inner.m = name, m
			facts = append(facts, p.expand(inner)...)
			continue
		}
		f := fact{rest: inner.rest, graph: graph, kind: kind, moving: slices.Contains(e.m.Moving, field)}
		names, schema := unwrap(inner.schema)
		f.cursor = slices.Contains(names, "NextCursor")
		if err := fits(kind, names, schema); err != nil {
			e.report("%s: %s: %v", e.where, field, err)
		}
		facts = append(facts, f)
	}
	return facts
}

// reportUnknownFields reports fields of the map that the schema does not have.
func (e expansion) reportUnknownFields(fields map[string]*openapi3.SchemaRef) {
	for _, name := range slices.Concat(e.m.Same, e.m.Moving, slices.Collect(maps.Keys(e.m.As)), slices.Collect(maps.Keys(e.m.Above))) {
		if fields[name] == nil {
			e.report("%s has no field %s any more", e.where, name)
		}
	}
	for name, reason := range e.m.Not {
		some := false
		for field := range fields {
			some = some || (fieldMap{Not: map[string]string{name: ""}}).left(field)
		}
		if !some || !strings.HasSuffix(reason, ".") {
			e.report("%s: %s is not a field, or has no reason", e.where, name)
		}
	}
}

// reach follows fields from a type to the type of the last one.
func reach(from *ast.Definition, path []string) (*ast.Definition, error) {
	for _, name := range path {
		field := from.Fields.ForName(name)
		if field == nil {
			return nil, fmt.Errorf("%s has no field %s", from.Name, name)
		}
		from = schema.Types[field.Type.Name()]
	}
	return from, nil
}

// fits checks that a GraphQL type can represent every value of a schema.
func fits(kind *ast.Definition, names []string, schema *openapi3.Schema) error {
	is := func(name string) bool { return slices.Contains(names, name) }
	ok := false
	switch kind.Name {
	case "Felt", "Hash256":
		ok = is(kind.Name)
	case "DateTime":
		ok = is("Timestamp")
	case "BigInt":
		ok = is("Amount") || schema.Type.Includes("integer")
	case "Int":
		ok = schema.Type.Includes("integer")
	case "Boolean":
		ok = schema.Type.Includes("boolean") || is("NextCursor")
	case "String":
		ok = schema.Type.Includes("string") && !is("Felt") && !is("Amount") && !is("Timestamp")
	}
	if kind.Kind == ast.Enum {
		ok = len(schema.Enum) > 0
		for _, word := range schema.Enum {
			if text, isText := word.(string); isText && kind.EnumValues.ForName(strings.ToUpper(text)) == nil {
				return fmt.Errorf("%s has no value %s", kind.Name, strings.ToUpper(text))
			}
		}
	}
	if !ok {
		return fmt.Errorf("a %s cannot be %v %v", kind.Name, names, schema.Type)
	}
	return nil
}

// TestEveryRESTFieldHasAGraphQLField fails when an operation, a field of a response
// or a parameter is missing from parity.yaml, and when an entry of the file is
// wrong.
func TestEveryRESTFieldHasAGraphQLField(t *testing.T) {
	t.Parallel()
	p := loadParity(t)
	used := map[string]bool{}
	for id, o := range p.rest {
		m, known := p.Operations[id]
		switch {
		case !known || (m.At == "") == (m.Without == ""):
			t.Errorf("%s: got no place and no reason, or both; want one of them in parity.yaml", id)
			continue
		case m.Without != "":
			continue
		}
		if facts := p.facts(o, t.Errorf); len(facts) == 0 {
			t.Errorf("%s: got no fields, want some", id)
		}
		p.checkArguments(t, o)
		p.markUsed(o.answer, used)
	}
	for id := range p.Operations {
		if p.rest[id] == nil {
			t.Errorf("got the operation %s in parity.yaml, want it in the OpenAPI document too", id)
		}
	}
	for name := range p.Objects {
		if !used[name] {
			t.Errorf("got a map of %s, want a response that contains one", name)
		}
	}
}

func (p *parity) markUsed(ref *openapi3.SchemaRef, used map[string]bool) {
	for _, field := range p.fields(ref) {
		if name, _, known := p.object(field); known && !used[name] {
			used[name] = true
			p.markUsed(field, used)
		}
	}
}

// checkArguments checks that every parameter is mapped or has a reason not to
// be.
func (p *parity) checkArguments(t *testing.T, o *restOperation) {
	t.Helper()
	m := p.Operations[o.id]
	unasked := map[string]bool{}
	for reason, names := range m.Unasked {
		for _, name := range names {
			unasked[name] = strings.HasSuffix(reason, ".")
		}
	}
	for name := range o.params {
		if _, asked := m.Arguments[name]; asked == unasked[name] {
			t.Errorf("%s: got the parameter %s in arguments %t and in unasked %t, want it in exactly one", o.id, name, asked, unasked[name])
		}
	}
	for name, place := range m.Arguments {
		if _, known := o.params[name]; !known {
			t.Errorf("%s: got the parameter %s in parity.yaml, want it in the OpenAPI document too", o.id, name)
		}
		if _, err := readPlace(o.root(), place); err != nil {
			t.Errorf("%s: %s: got %v, want a place in the schema", o.id, name, err)
		}
	}
}

// TestMissingParityEntryIsDetected shows that the test above can fail.
func TestMissingParityEntryIsDetected(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*fieldMap){
		"a field without a place":   func(m *fieldMap) { m.Same = m.Same[1:] },
		"a field that is gone":      func(m *fieldMap) { m.Same = append(m.Same, "gone") },
		"a field with two places":   func(m *fieldMap) { m.Not = map[string]string{m.Same[0]: "Twice."} },
		"a gap without a reason":    func(m *fieldMap) { m.Same, m.Not = m.Same[1:], map[string]string{m.Same[0]: ""} },
		"a place that is gone":      func(m *fieldMap) { m.As["transactions"] = "gone.nodes" },
		"an object of another type": func(m *fieldMap) { m.As["transactions"] = "events.nodes" },
		"a value of another type":   func(m *fieldMap) { m.Same, m.As[m.Same[0]] = m.Same[1:], "txCount" },
	} {
		p := loadParity(t)
		m := p.Operations["getBlock"]
		spoil(&m)
		p.Operations["getBlock"] = m
		reports := 0
		p.facts(p.rest["getBlock"], func(string, ...any) { reports++ })
		if reports == 0 {
			t.Errorf("%s: got no report, want one", name)
		}
	}
}
