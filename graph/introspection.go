package graph

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/cache"
)

// introspections caches the results of operations that only introspect. The
// schema is fixed and the same for every caller, so that such a result depends
// on the document, the operation and the variables alone. A reload of
// GraphiQL gets the cached result for the price of its size.
type introspections struct {
	*cache.Weighted[introspectionKey, []byte]
}

type introspectionKey [sha256.Size]byte

// The size of the cache, and of the largest result that it keeps.
const (
	introspectionMemory = 8 << 20
	introspectionResult = 2 << 20
)

func newIntrospections() introspections {
	return introspections{cache.NewWeighted[introspectionKey, []byte](introspectionMemory)}
}

// add keeps a result.
func (i introspections) add(key introspectionKey, result []byte) {
	if len(result) <= introspectionResult {
		i.Add(key, bytes.Clone(result), len(result))
	}
}

// introspectionOf returns the key of an operation that only introspects.
func introspectionOf(op *graphql.OperationContext) (*introspectionKey, bool) {
	if op.Operation.Operation != ast.Query || !introspects(op.Operation.SelectionSet, map[string]bool{}) {
		return nil, false
	}
	variables, err := json.Marshal(op.Variables)
	if err != nil {
		return nil, false
	}
	text := bytes.Join([][]byte{[]byte(op.RawQuery), []byte(op.OperationName), variables}, []byte{0})
	return new(introspectionKey(sha256.Sum256(text))), true
}

// introspects reports whether every field is one of introspection. Seen are the
// fragments that were looked at.
func introspects(set ast.SelectionSet, seen map[string]bool) bool {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if s.Name != "__schema" && s.Name != "__type" {
				return false
			}
		case *ast.InlineFragment:
			if !introspects(s.SelectionSet, seen) {
				return false
			}
		case *ast.FragmentSpread:
			if seen[s.Name] {
				continue
			}
			seen[s.Name] = true
			if !introspects(s.Definition.SelectionSet, seen) {
				return false
			}
		}
	}
	return true
}
