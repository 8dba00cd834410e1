package graph

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// plan is which fields a selection asks of an object: fragments are spread and
// repetitions are merged.
type plan struct {
	fields []plannedField
	late   []int // the places of those that may have to be read
}

// plannedField is one of them.
type plannedField struct {
	graphql.CollectedField
	key      string // as it is written, with what comes before it
	late     bool
	required bool // it may not be null
}

// plans are the plans of a document, made when they are needed first. They hold
// for every execution of it, unless directives leave fields out: then for one.
type plans struct {
	mu   sync.RWMutex
	made map[selected]*plan
}

// selected tells the plans of a document apart. The selection of an operation is
// part of the document, and every other one of the plan above.
type selected struct {
	selection *ast.Selection // the first
	object    *string        // the name of its type
}

func newPlans() *plans { return &plans{made: map[selected]*plan{}} }

// of returns the plan for a selection from an object of the given types, some
// fields of which are late.
func (p *plans) of(op *graphql.OperationContext, sel ast.SelectionSet, types []string, late string) *plan {
	key := selected{&sel[0], &types[0]}
	p.mu.RLock()
	known := p.made[key]
	p.mu.RUnlock()
	if known != nil {
		return known
	}
	made := newPlan(graphql.CollectFields(op, sel, types), strings.Fields(late))
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.made[key]; known != nil {
		return known // whose selections are those of the plans below
	}
	p.made[key] = made
	return made
}

// collect returns the selected fields of a root.
func (p *plans) collect(op *graphql.OperationContext, sel ast.SelectionSet, types []string) []graphql.CollectedField {
	return convert(p.of(op, sel, types, "").fields, func(f plannedField) graphql.CollectedField { return f.CollectedField })
}

func newPlan(collected []graphql.CollectedField, late []string) *plan {
	p := &plan{}
	for _, field := range collected {
		if slices.ContainsFunc(p.fields, func(other plannedField) bool { return other.Alias == field.Alias }) {
			continue // it was collected through two interfaces
		}
		before := ","
		if len(p.fields) == 0 {
			before = "{"
		}
		planned := plannedField{CollectedField: field, key: before + `"` + field.Alias + `":`, late: slices.Contains(late, field.Name)}
		planned.required = field.Definition != nil && field.Definition.Type.NonNull
		if planned.late {
			p.late = append(p.late, len(p.fields))
		}
		p.fields = append(p.fields, planned)
	}
	return p
}

type plansKey struct{}

// withPlans brings the plans of a document to its execution.
func withPlans(ctx context.Context, p *plans) context.Context {
	return context.WithValue(ctx, plansKey{}, p)
}

func plansOf(ctx context.Context) *plans { return ctx.Value(plansKey{}).(*plans) }
