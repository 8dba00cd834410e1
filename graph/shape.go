package graph

import "github.com/vektah/gqlparser/v2/ast"

// shape holds the counts that are limited before a document is validated, so that
// the work of validation is bounded.
type shape struct {
	depth       int
	rootFields  int
	aliases     int
	longestName int // of the response names, in bytes
	directives  int
	repeats     int // of a response name in one selection set
	introspects bool
	defers      bool
}

// shapeOf measures a document: the depth and width of its operations, and the
// counts of its whole text.
func shapeOf(doc *ast.QueryDocument) shape {
	m := measuring{fragments: doc.Fragments, depths: map[string]int{}, widths: map[string]int{}}
	for _, op := range doc.Operations {
		m.directives += len(op.Directives)
		m.count(op.SelectionSet)
		m.depth = max(m.depth, m.deep(op.SelectionSet))
		m.rootFields = max(m.rootFields, m.wide(op.SelectionSet))
	}
	for _, fragment := range doc.Fragments {
		m.directives += len(fragment.Directives)
		m.count(fragment.SelectionSet)
	}
	return m.shape
}

type measuring struct {
	shape
	fragments ast.FragmentDefinitionList
	// The depth and width of each fragment are memoized, because nested spreads
	// would otherwise take exponential time. A fragment in a cycle counts as zero;
	// validation rejects the cycle.
	depths, widths map[string]int
}

// count adds the aliases, directives and repeated fields of a selection set.
func (m *measuring) count(set ast.SelectionSet) {
	names := map[string]bool{}
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if names[s.Alias] {
				m.repeats++
			}
			names[s.Alias] = true
			m.longestName = max(m.longestName, len(s.Alias))
			m.directives += len(s.Directives)
			if s.Alias != s.Name {
				m.aliases++
			}
			if s.Name == "__schema" || s.Name == "__type" {
				m.introspects = true
			}
			m.count(s.SelectionSet)
		case *ast.InlineFragment:
			m.directives += len(s.Directives)
			m.defers = m.defers || s.Directives.ForName("defer") != nil
			m.count(s.SelectionSet)
		case *ast.FragmentSpread:
			m.directives += len(s.Directives)
			m.defers = m.defers || s.Directives.ForName("defer") != nil
		}
	}
}

// deep returns the depth of nested fields.
func (m *measuring) deep(set ast.SelectionSet) int {
	deepest := 0
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			deepest = max(deepest, 1+m.deep(s.SelectionSet))
		case *ast.InlineFragment:
			deepest = max(deepest, m.deep(s.SelectionSet))
		case *ast.FragmentSpread:
			deepest = max(deepest, m.spread(m.depths, s.Name, m.deep))
		}
	}
	return deepest
}

// wide returns the number of fields in the set, without nested ones.
func (m *measuring) wide(set ast.SelectionSet) int {
	width := 0
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			width = saturate(width + 1)
		case *ast.InlineFragment:
			width = saturate(width + m.wide(s.SelectionSet))
		case *ast.FragmentSpread:
			width = saturate(width + m.spread(m.widths, s.Name, m.wide))
		}
	}
	return width
}

func (m *measuring) spread(known map[string]int, name string, measure func(ast.SelectionSet) int) int {
	if value, ok := known[name]; ok {
		return value
	}
	known[name] = 0
	if fragment := m.fragments.ForName(name); fragment != nil {
		known[name] = measure(fragment.SelectionSet)
	}
	return known[name]
}

// saturate prevents overflow in sums and products of numbers from a client.
func saturate(n int) int { return min(n, maxCount) }

// maxCount is larger than every limit, and its square does not overflow.
const maxCount = 1 << 31
