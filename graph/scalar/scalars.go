package scalar

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// MarshalFelt writes a felt in canonical form.
func MarshalFelt(f starknet.Felt) graphql.Marshaler { return felt(f) }

// UnmarshalFelt reads a felt, padded or not.
func UnmarshalFelt(v any) (starknet.Felt, error) {
	text, ok := v.(string)
	if !ok {
		return starknet.Felt{}, domain.Errorf(domain.CodeInvalidRequest, "A Felt must be a string.")
	}
	f, err := starknet.ParseFelt(text)
	if err != nil {
		return starknet.Felt{}, domain.Errorf(domain.CodeInvalidRequest, "A Felt must be 0x followed by hexadecimal digits, less than the field prime.")
	}
	return f, nil
}

// MarshalHash256 writes a hash in canonical form.
func MarshalHash256(h starknet.Hash256) graphql.Marshaler { return quoted(h.String()) }

// UnmarshalHash256 reads a hash, padded or not.
func UnmarshalHash256(v any) (starknet.Hash256, error) {
	text, _ := v.(string)
	h, err := starknet.ParseHash256(text)
	if err != nil {
		return starknet.Hash256{}, domain.Errorf(domain.CodeInvalidRequest, "A Hash256 must be 0x followed by at most 64 hexadecimal digits.")
	}
	return h, nil
}

// MarshalBigInt writes an amount as a string of base-10 digits, because clients
// read JSON numbers with limited precision.
func MarshalBigInt(a domain.Amount) graphql.Marshaler { return quoted(a.String()) }

// UnmarshalBigInt reads base-10 digits, as a string or as a JSON integer.
func UnmarshalBigInt(v any) (domain.Amount, error) {
	switch v := v.(type) {
	case string:
		return domain.ParseAmount(v)
	case json.Number:
		return domain.ParseAmount(v.String())
	case int64:
		return domain.ParseAmount(strconv.FormatInt(v, 10))
	default:
		return domain.Amount{}, domain.Errorf(domain.CodeInvalidRequest, "A BigInt must be a string of base-10 digits or an integer.")
	}
}

// MarshalDateTime writes a time in UTC.
func MarshalDateTime(t time.Time) graphql.Marshaler { return moment(t) }

// UnmarshalDateTime reads a time with any UTC offset.
func UnmarshalDateTime(v any) (time.Time, error) {
	text, ok := v.(string)
	if !ok {
		return time.Time{}, domain.Errorf(domain.CodeInvalidRequest, "A DateTime must be a string.")
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, domain.Errorf(domain.CodeInvalidRequest, "A DateTime must have the RFC 3339 format, for example 2025-01-31T12:00:00Z.")
	}
	return t.UTC(), nil
}

// MarshalCursor writes a cursor.
func MarshalCursor(text string) graphql.Marshaler { return quoted(text) }

// UnmarshalCursor reads a cursor. The field decodes it, because it is bound to
// the field and its arguments.
func UnmarshalCursor(v any) (string, error) {
	text, ok := v.(string)
	if !ok {
		return "", domain.Errorf(domain.CodeInvalidRequest, "A Cursor must be a string.")
	}
	return text, nil
}

// MarshalInt writes an Int.
func MarshalInt(n int) graphql.Marshaler { return whole(n) }

// UnmarshalInt reads an Int.
func UnmarshalInt(v any) (int, error) { return graphql.UnmarshalInt(v) }

// MarshalNumber writes a count or a block number as an Int, which has 32 bits in
// GraphQL. A larger number is an error.
func MarshalNumber(v uint64) graphql.ContextMarshaler { return count(v) }

// UnmarshalNumber reads a non-negative Int.
func UnmarshalNumber(_ context.Context, v any) (uint64, error) {
	n, err := graphql.UnmarshalInt64(v)
	if err != nil || n < 0 {
		return 0, domain.Errorf(domain.CodeInvalidRequest, "The value must be a non-negative integer.")
	}
	return uint64(n), nil
}

// quoted is a string that needs no escapes in JSON.
type quoted string

// MarshalGQL implements graphql.Marshaler.
func (q quoted) MarshalGQL(w io.Writer) {
	_, _ = io.WriteString(w, `"`)
	_, _ = io.WriteString(w, string(q))
	_, _ = io.WriteString(w, `"`)
}

// appendable is a value that appends its JSON to a buffer.
type appendable interface{ appendTo(text []byte) []byte }

// writeTo writes a value of at most size bytes. Into a bytes.Buffer, which gqlgen
// nearly always uses, it writes without a copy.
func writeTo[V appendable](w io.Writer, size int, value V) {
	if into, direct := w.(*bytes.Buffer); direct {
		into.Grow(size)
		_, _ = into.Write(value.appendTo(into.AvailableBuffer()))
		return
	}
	_, _ = w.Write(value.appendTo(make([]byte, 0, size)))
}

// felt marshals a felt, the most frequent scalar: at most 0x, 64 digits and two
// quotes.
type felt starknet.Felt

// MarshalGQL implements graphql.Marshaler.
func (f felt) MarshalGQL(w io.Writer) { writeTo(w, 68, f) }

func (f felt) appendTo(text []byte) []byte {
	return append(starknet.Felt(f).Append(append(text, '"')), '"')
}

// moment marshals a time.
type moment time.Time

// MarshalGQL implements graphql.Marshaler.
func (m moment) MarshalGQL(w io.Writer) { writeTo(w, len(time.RFC3339Nano)+2, m) }

func (m moment) appendTo(text []byte) []byte {
	return append(time.Time(m).UTC().AppendFormat(append(text, '"'), time.RFC3339Nano), '"')
}

// whole marshals an Int.
type whole int

// MarshalGQL implements graphql.Marshaler.
func (n whole) MarshalGQL(w io.Writer) { writeTo(w, 20, n) }

func (n whole) appendTo(text []byte) []byte { return strconv.AppendInt(text, int64(n), 10) }

// count marshals a number as an Int, if it fits.
type count uint64

// MarshalGQLContext implements graphql.ContextMarshaler.
func (n count) MarshalGQLContext(_ context.Context, w io.Writer) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("%d exceeds the range of Int", n)
	}
	whole(n).MarshalGQL(w)
	return nil
}
