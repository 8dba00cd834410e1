package frame

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Place says whether a parameter is in the path or in the query.
type Place string

// The places.
const (
	InPath  Place = "path"
	InQuery Place = "query"
)

// Kind is the format of a parameter's values.
type Kind string

// The kinds of parameters.
const (
	ChainKind   Kind = "chain"
	FeltKind    Kind = "felt"
	HashKind    Kind = "hash" // 256 bits, which a felt may not hold
	IntegerKind Kind = "integer"
	EnumKind    Kind = "enum"
	TextKind    Kind = "text"
	IDKind      Kind = "id" // of an object: one of any form that no object has is absent
	CursorKind  Kind = "cursor"
	BlockKind   Kind = "block" // a number, a hash or latest
	StateKind   Kind = "state" // a number, a hash, latest or pending
	HourKind    Kind = "hour"  // the start of an hour in UTC
)

// Param is one parameter of an operation.
type Param struct {
	Name       string
	In         Place
	Kind       Kind
	Required   bool // path parameters always are
	Repeatable bool
	MaxItems   int      // of a repeatable parameter
	Ordered    bool     // the order of its values is significant
	Enum       []string // of EnumKind
	Min, Max   int64    // of IntegerKind
	Default    string   // value of an absent parameter; empty: none
	About      string   // description in the API reference
	Example    string   // example in the API reference
}

// maxTextParam bounds free text in a query, in bytes.
const maxTextParam = 256

// maxCursorParam bounds a cursor. No cursor that was issued is longer.
const maxCursorParam = 4096

// canonical validates a value against the parameter's kind and returns its
// canonical form.
func (p Param) canonical(text string) (string, error) {
	switch p.Kind {
	case ChainKind:
		_, err := domain.ParseChain(text)
		return text, err
	case FeltKind:
		felt, err := starknet.ParseFelt(text)
		if err != nil {
			return "", p.refuse("must be %s, got %s.", FeltForm, domain.Quote(text))
		}
		return felt.String(), nil
	case HashKind:
		hash, err := starknet.ParseHash256(text)
		if err != nil {
			return "", p.refuse("must be a 0x-prefixed hash of at most 64 hexadecimal digits, got %s.", domain.Quote(text))
		}
		return hash.String(), nil
	case BlockKind, StateKind:
		id, err := chain.ParseBlockID(text, p.blockTags()...)
		if e, ok := errors.AsType[*domain.Error](err); ok {
			return "", e.Named(func(domain.Argument) string { return p.Name })
		}
		return id.String(), err
	case IntegerKind:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || v < p.Min || v > p.Max || text != strconv.FormatInt(v, 10) {
			return "", p.refuse("must be an integer between %d and %d, got %s.", p.Min, p.Max, domain.Quote(text))
		}
	case EnumKind:
		if !slices.Contains(p.Enum, text) {
			return "", p.refuse("must be one of %s, got %s.", strings.Join(p.Enum, ", "), domain.Quote(text))
		}
	case HourKind:
		return p.canonicalHour(text)
	case IDKind:
		return text, nil
	case CursorKind:
		if text == "" || len(text) > maxCursorParam {
			return "", domain.InvalidCursor("The cursor is empty or longer than any that this service issues.")
		}
	default:
		if text == "" || len(text) > maxTextParam || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return "", p.refuse("must have 1 to %d bytes of UTF-8 text.", maxTextParam)
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

// readQuery parses and validates a query string. Unknown parameters, repeated
// single ones and malformed escapes are invalid_request.
func readQuery(params []Param, raw string) (url.Values, error) {
	if raw == "" && !slices.ContainsFunc(params, func(p Param) bool { return p.In == InQuery }) {
		return nil, nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "The query string is malformed. Percent-encode special characters.")
	}
	for name := range values {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.In == InQuery && p.Name == name }) {
			return nil, domain.Errorf(domain.CodeInvalidRequest, "Unknown query parameter %s.", domain.Quote(name))
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

// checkAll validates every value of one query parameter, replaces it by its
// canonical form and sets the default.
func (p Param) checkAll(values url.Values) error {
	given := values[p.Name]
	switch {
	case len(given) == 0 && p.Required:
		return p.refuse("is required.")
	case len(given) == 0 && p.Default != "":
		values.Set(p.Name, p.Default)
	case len(given) > 1 && !p.Repeatable:
		return p.refuse("must be given at most once, got %d values.", len(given))
	case p.Repeatable && p.MaxItems > 0 && len(given) > p.MaxItems:
		return p.refuse("must be given at most %d times, got %d.", p.MaxItems, len(given))
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
