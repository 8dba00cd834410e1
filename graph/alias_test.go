package graph

import (
	"astrolabe/repo/repotest"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

// longFields are the fields whose values may be long: lists of plain values and
// texts with a price.
func longFields() (all []*ast.FieldDefinition, of map[*ast.FieldDefinition]*ast.Definition) {
	sizes, prices, of := sizesOf(schema), pricesOf(schema), map[*ast.FieldDefinition]*ast.Definition{}
	for _, name := range []string{"Transaction", "AccountCall", "Event", "Message", "ContractClass", "Receipt"} {
		t := schema.Types[name]
		for _, f := range t.Fields {
			leaf := !schema.Types[f.Type.Name()].IsCompositeType()
			if leaf && (prices[f].assumed > 0 || sizes[f].assumed >= 50) {
				all, of[f] = append(all, f), t
			}
		}
	}
	return all, of
}

// path leads from the query to a type by the fewest fields.
func (d *dearest) path(to *ast.Definition) []*selected {
	type step struct {
		at   *ast.Definition
		done []*selected
	}
	queue, seen := []step{{at: schema.Query}}, map[string]bool{}
	for len(queue) > 0 {
		now := queue[0]
		queue = queue[1:]
		for _, f := range now.at.Fields {
			next := schema.Types[f.Type.Name()]
			if !next.IsCompositeType() || next.IsAbstractType() || f.Name == "message" || seen[next.Name] || f.Directives.ForName("tier") != nil && now.at != schema.Query || strings.HasPrefix(f.Name, "__") {
				continue
			}
			done := append(now.done[:len(now.done):len(now.done)], &selected{FieldDefinition: f, on: next, arguments: d.arguments(f)})
			if next == to {
				return done
			}
			seen[next.Name] = true
			queue = append(queue, step{next, done})
		}
	}
	return nil
}

// TestResultIsMeasuredWhileItIsBuilt repeats each field with long values under as
// many aliases as the limits accept. Before results were measured, the largest of
// them built more than a gigabyte. It is not parallel: it measures the process.
func TestResultIsMeasuredWhileItIsBuilt(t *testing.T) {
	repotest.SkipRaced(t)
	g := serveLong(t)
	fields, of := longFields()
	ended := 0
	for _, f := range fields {
		d := newDearest(t, 1)
		path := d.path(of[f])
		if path == nil {
			t.Errorf("%s.%s: got no path from the query, want one", of[f].Name, f.Name)
			continue
		}
		text := ""
		for aliases := 90; aliases > 0 && text == ""; aliases -= 10 {
			for _, first := range []string{"first:100", "first:50", "first:25", "first:5", "first:1"} {
				root := d.aliased(path, f, aliases, first)
				if accepted, _, ok := newDearest(t, 1).accepted(root); ok {
					text = accepted
					break
				}
			}
		}
		var r run
		peak := repotest.PeakMemory(func() { r = g.measure(t, run{text: text}) })
		t.Logf("%s.%s, %d bytes of text: status %d, %d KB in %v, peak %d MB", of[f].Name, f.Name, len(text), r.status, r.bytes>>10, r.took, peak>>20)
		if r.status != http.StatusOK {
			ended++
		}
		if r.bytes > g.Limits.ResponseBytes+1<<20 || peak > maxMemory/2 {
			t.Errorf("%s.%s: got %d MB with a peak of %d MB, want at most %d and %d: %s", of[f].Name, f.Name, r.bytes>>20, peak>>20, g.Limits.ResponseBytes>>20, maxMemory>>21, text)
		}
	}
	if ended == 0 {
		t.Error("got every result, want some of them ended at a limit")
	}
}

// aliased is a document that follows a path with a page size, and repeats the
// last field.
func (d *dearest) aliased(path []*selected, f *ast.FieldDefinition, aliases int, first string) *selected {
	root := &selected{FieldDefinition: &ast.FieldDefinition{}, on: schema.Query}
	at := root
	for _, step := range path {
		copied := *step
		if i := strings.Index(copied.arguments, "first:"); i >= 0 {
			end := i + strings.IndexAny(copied.arguments[i:], ",)")
			copied.arguments = copied.arguments[:i] + first + copied.arguments[end:]
		}
		at.children = []*selected{&copied}
		at = &copied
	}
	for i := range aliases {
		at.children = append(at.children, &selected{FieldDefinition: f, on: schema.Types[f.Type.Name()], alias: fmt.Sprintf("b%d", i)})
	}
	return root
}
