package frame

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"astrolabe/domain"
	"astrolabe/domain/chain"
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
	HashKind    Kind = "hash" // 256 bits, which a felt may not hold
	IntegerKind Kind = "integer"
	EnumKind    Kind = "enum"
	TextKind    Kind = "text"
	CursorKind  Kind = "cursor"
	BlockKind   Kind = "block" // a number, a hash or latest
	StateKind   Kind = "state" // a number, a hash, latest or pending
)

// Param is one parameter of an operation.
type Param struct {
	Name       string
	In         Place
	Kind       Kind
	Required   bool // path parameters always are
	Repeatable bool
	MaxItems   int      // of a repeatable parameter
	Ordered    bool     // the order of its values means something
	Enum       []string // of EnumKind
	Min, Max   int64    // of IntegerKind
	Default    string   // what stands for an absent parameter; empty: nothing
	About      string   // one sentence for the reference
	Example    string   // what the reference fills in
}

// maxTextParam bounds a free text in a query.
const maxTextParam = 256

// maxCursorParam bounds a cursor. None that was issued is longer.
const maxCursorParam = 4096

// canonical holds one text against the parameter's kind and returns it in the
// form that every other text of the same meaning has, too.
func (p Param) canonical(text string) (string, error) {
	switch p.Kind {
	case ChainKind:
		_, err := domain.ParseChain(text)
		return text, err
	case FeltKind:
		felt, err := starknet.ParseFelt(text)
		if err != nil {
			return "", p.refuse("must be a 0x-prefixed hex felt below the field prime")
		}
		return felt.String(), nil
	case HashKind:
		hash, err := starknet.ParseHash256(text)
		if err != nil {
			return "", p.refuse("must be a 0x-prefixed hash of at most 64 hex digits")
		}
		return hash.String(), nil
	case BlockKind, StateKind:
		id, err := chain.ParseBlockID(text, p.blockTags()...)
		return id.String(), err
	case IntegerKind:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v < p.Min || v > p.Max || text != strconv.FormatInt(v, 10) {
			return "", p.refuse("must be an integer from %d to %d", p.Min, p.Max)
		}
	case EnumKind:
		if !slices.Contains(p.Enum, text) {
			return "", p.refuse("must be one of %s", strings.Join(p.Enum, ", "))
		}
	case CursorKind:
		if text == "" || len(text) > maxCursorParam {
			return "", domain.InvalidCursor("it is empty or too long")
		}
	default:
		if text == "" || len(text) > maxTextParam || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return "", p.refuse("must have 1 to %d characters of text", maxTextParam)
		}
	}
	return text, nil
}

func (p Param) blockTags() []chain.BlockTag {
	if p.Kind == StateKind {
		return chain.StateTags
	}
	return []chain.BlockTag{chain.Latest}
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

// checkAll checks every value of one query parameter, puts it into canonical
// form and fills its default.
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
	for i, text := range given {
		canonical, err := p.canonical(text)
		if err != nil {
			return err
		}
		given[i] = canonical
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
