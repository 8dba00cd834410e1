package rest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Place says where a parameter stands.
type Place string

// The places.
const (
	InPath  Place = "path"
	InQuery Place = "query"
)

// Kind says what texts a parameter takes.
type Kind string

// The kinds of parameters.
const (
	ChainKind   Kind = "chain"
	FeltKind    Kind = "felt"
	IntegerKind Kind = "integer"
	EnumKind    Kind = "enum"
	TextKind    Kind = "text"
	CursorKind  Kind = "cursor"
)

// Param is one parameter of an operation.
type Param struct {
	Name       string
	In         Place
	Kind       Kind
	Required   bool // path parameters always are
	Repeatable bool
	MaxItems   int      // of a repeatable parameter
	Enum       []string // of EnumKind
	Min, Max   int64    // of IntegerKind
	Default    string   // what stands for an absent parameter; empty: nothing
	About      string   // one sentence for the reference
	Example    string   // what the reference fills in
}

// maxTextParam bounds a free text in a query.
const maxTextParam = 256

// chainParam is the path segment that most operations share.
var chainParam = Param{Name: "chain", In: InPath, Kind: ChainKind, Required: true, About: "The chain that is asked.", Example: string(domain.Mainnet)}

// check holds one text against the parameter's kind.
func (p Param) check(text string) error {
	switch p.Kind {
	case ChainKind:
		_, err := domain.ParseChain(text)
		return err
	case FeltKind:
		if _, err := starknet.ParseFelt(text); err != nil {
			return p.refuse("must be a 0x-prefixed hex felt below the field prime")
		}
	case IntegerKind:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v < p.Min || v > p.Max || text != strconv.FormatInt(v, 10) {
			return p.refuse("must be an integer from %d to %d", p.Min, p.Max)
		}
	case EnumKind:
		if !slices.Contains(p.Enum, text) {
			return p.refuse("must be one of %s", strings.Join(p.Enum, ", "))
		}
	default:
		if text == "" || len(text) > maxTextParam || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return p.refuse("must have 1 to %d characters of text", maxTextParam)
		}
	}
	return nil
}

func (p Param) refuse(format string, args ...any) error {
	return domain.Errorf(domain.CodeInvalidRequest, "%s "+format, append([]any{p.Name}, args...)...)
}

// readQuery parses and checks a query string. Unknown parameters and
// repeated single ones are refused by name; a malformed escape is refused
// rather than dropped.
func readQuery(params []Param, raw string) (url.Values, error) {
	if raw == "" && !slices.ContainsFunc(params, func(p Param) bool { return p.In == InQuery }) {
		return nil, nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "the query string is malformed")
	}
	for name := range values {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.In == InQuery && p.Name == name }) {
			return nil, domain.Errorf(domain.CodeInvalidRequest, "unknown query parameter %q", shorten(name))
		}
	}
	for _, p := range params {
		if p.In == InQuery {
			if err := p.checkAll(values); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

// checkAll checks every value of one query parameter and fills its default.
func (p Param) checkAll(values url.Values) error {
	given := values[p.Name]
	switch {
	case len(given) == 0 && p.Required:
		return p.refuse("is required")
	case len(given) == 0 && p.Default != "":
		values.Set(p.Name, p.Default)
	case len(given) > 1 && !p.Repeatable:
		return p.refuse("must be given once")
	case p.Repeatable && p.MaxItems > 0 && len(given) > p.MaxItems:
		return p.refuse("must be given at most %d times", p.MaxItems)
	}
	for _, text := range given {
		if err := p.check(text); err != nil {
			return err
		}
	}
	return nil
}

// shorten keeps a hostile name from filling the answer.
func shorten(name string) string {
	const most = 64
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}
