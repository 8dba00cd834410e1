package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/graph/limits"
)

// shapes is the extension that limits the shape of a document. It measures a
// document before gqlgen validates it, because the time of validation grows
// with the square of some of these numbers. Cached documents were measured
// before.
type shapes struct {
	limits          limits.Limits
	noIntrospection bool
	known           documentCache
}

// ExtensionName implements graphql.HandlerExtension.
func (shapes) ExtensionName() string { return "Shapes" }

// Validate implements graphql.HandlerExtension.
func (shapes) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters measures the document.
func (s shapes) MutateOperationParameters(ctx context.Context, p *graphql.RawParams) *gqlerror.Error {
	doc, known := s.known.Get(ctx, p.Query)
	if !known {
		parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: p.Query}, s.limits.Tokens)
		if err == nil {
			err = s.check(parsed)
		} else {
			err = limits.Check(limits.Tokens, s.limits.Tokens, tokens(p.Query), "The operation has %d tokens")
		}
		if err != nil {
			return operationOf(ctx).refuse(err)
		}
		doc = parsed
	}
	op := operationOf(ctx)
	if err := named(doc, p.OperationName); err != nil {
		return op.refuse(err)
	}
	op.measured = true
	return nil
}

// named rejects an operationName that the document does not contain. gqlgen
// itself rejects documents that do not parse or have no operation.
func named(doc *ast.QueryDocument, name string) error {
	switch {
	case doc == nil || len(doc.Operations) == 0 || doc.Operations.ForName(name) != nil:
		return nil
	case name == "":
		return domain.Errorf(domain.CodeInvalidRequest, "operationName is required: the document has several operations.")
	default:
		return domain.Errorf(domain.CodeInvalidRequest, "operationName must be the name of an operation in the document.")
	}
}

// check rejects a document that exceeds a limit or uses a disabled feature.
func (s shapes) check(doc *ast.QueryDocument) error {
	shape := shapeOf(doc)
	for _, err := range []error{
		limits.Check(limits.Depth, s.limits.Depth, shape.depth, "The operation has %d levels of nested selections"),
		limits.Check(limits.Aliases, s.limits.Aliases, shape.aliases, "The operation has %d aliases"),
		limits.Check(limits.Name, s.limits.NameBytes, shape.longestName, "The longest alias has %d bytes"),
		limits.Check(limits.RootFields, s.limits.RootFields, shape.rootFields, "The operation has %d root fields"),
		limits.Check(limits.Directives, s.limits.Directives, shape.directives, "The operation has %d directives"),
		limits.Check(limits.Repeats, s.limits.Repeats, shape.repeats, "The operation has %d repeated fields"),
	} {
		if err != nil {
			return err
		}
	}
	switch {
	case shape.introspects && s.noIntrospection:
		return domain.Errorf(domain.CodeInvalidRequest, "Introspection is disabled on this server.")
	case shape.defers:
		return domain.Errorf(domain.CodeInvalidRequest, "The directive @defer is not supported: responses are not incremental.")
	}
	return nil
}

// tokens counts the tokens of a text up to the first malformed one.
func tokens(text string) (count int) {
	for lexed := lexer.New(&ast.Source{Input: text}); ; count++ {
		if token, err := lexed.ReadToken(); err != nil || token.Kind == lexer.EOF {
			return count
		}
	}
}

// documentCache is gqlgen's cache of parsed and validated documents by text.
type documentCache struct {
	*cache.Weighted[string, *ast.QueryDocument]
}

// Get implements graphql.Cache.
func (c documentCache) Get(_ context.Context, text string) (*ast.QueryDocument, bool) {
	return c.Weighted.Get(text)
}

// Add implements graphql.Cache.
func (c documentCache) Add(_ context.Context, text string, doc *ast.QueryDocument) {
	c.Weighted.Add(text, doc, len(text))
}
