package graph

import (
	"errors"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"astrolabe/domain"
)

// How many mistakes of a document are reported at once, and how much of each:
// they quote the text.
const (
	maxReported = 5
	maxMistake  = 300
)

// document is one that was parsed.
type document struct {
	*ast.QueryDocument
	plans *plans // nil where they hold for one execution
}

// parse reads a document and refuses one whose shape passes a limit.
func (h *Handler) parse(text string) (*document, error) {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, h.Limits.Tokens)
	if err != nil {
		return nil, h.unparsed(text, err)
	}
	if len(doc.Operations) == 0 {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "the document holds no operation")
	}
	s := shapeOf(doc)
	for _, err := range []error{
		within(limitDepth, h.Limits.Depth, s.depth, "levels"),
		within(limitAliases, h.Limits.Aliases, s.aliases, "aliases"),
		within(limitRootFields, h.Limits.RootFields, s.rootFields, "root fields"),
		within(limitDirectives, h.Limits.Directives, s.directives, "directives"),
		within(limitRepeats, h.Limits.Repeats, s.repeats, "repeated fields"),
	} {
		if err != nil {
			return nil, err
		}
	}
	if s.introspect && h.NoIntrospection {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "introspection is switched off")
	}
	if s.directives > 0 {
		return &document{doc, nil}, nil
	}
	return &document{doc, newPlans()}, nil
}

// unparsed tells a text that is too long from one that is wrong.
func (h *Handler) unparsed(text string, err error) error {
	tokens := 0
	for lexed := lexer.New(&ast.Source{Input: text}); ; tokens++ {
		if token, err := lexed.ReadToken(); err != nil || token.Kind == lexer.EOF {
			break
		}
	}
	if limit := within(limitTokens, h.Limits.Tokens, tokens, "tokens"); limit != nil {
		return limit
	}
	if mistake, ok := errors.AsType[*gqlerror.Error](err); ok {
		invalid(mistake)
	}
	return err
}

// validate checks a document against the schema.
func (h *Handler) validate(doc *document) error {
	mistakes := validator.ValidateWithRules(h.schema, doc.QueryDocument, h.rules)
	if len(mistakes) == 0 {
		return nil
	}
	mistakes = mistakes[:min(len(mistakes), maxReported)]
	for _, mistake := range mistakes {
		invalid(mistake)
	}
	return mistakes
}

// invalid makes what the parser or the validator says an error of the domain.
func invalid(mistake *gqlerror.Error) {
	message := mistake.Message
	if len(message) > maxMistake {
		message = strings.ToValidUTF8(message[:maxMistake], "") + "…"
	}
	mistake.Err = &domain.Error{Code: domain.CodeInvalidRequest, Message: message}
}

// validation returns the rules of the specification. Suggestions would give
// away names of a schema that is hidden.
func validation(suggest bool) *rules.Rules {
	r := rules.NewDefaultRules()
	if suggest {
		return r
	}
	r.ReplaceRule(rules.FieldsOnCorrectTypeRule.Name, rules.FieldsOnCorrectTypeRuleWithoutSuggestions.RuleFunc)
	r.ReplaceRule(rules.KnownArgumentNamesRule.Name, rules.KnownArgumentNamesRuleWithoutSuggestions.RuleFunc)
	r.ReplaceRule(rules.KnownTypeNamesRule.Name, rules.KnownTypeNamesRuleWithoutSuggestions.RuleFunc)
	r.ReplaceRule(rules.ScalarLeafsRule.Name, rules.ScalarLeafsRuleWithoutSuggestions.RuleFunc)
	r.ReplaceRule(rules.ValuesOfCorrectTypeRule.Name, rules.ValuesOfCorrectTypeRuleWithoutSuggestions.RuleFunc)
	return r
}
