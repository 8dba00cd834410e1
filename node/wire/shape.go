package wire

import (
	"encoding"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"astrolabe/starknet"
)

// shape is how an object of the specification is read into a T, without
// reflection. A value with a missing member is an error, never a zero.
type shape[T any] struct {
	members []member[T]
	index   map[string]int
	needed  uint64 // one bit for each member that must be there
}

// member is one member of an object.
type member[T any] struct {
	name     string
	optional bool // may be absent or null
	read     func(r *reader, v *T)
}

func shapeOf[T any](members ...member[T]) *shape[T] {
	s := &shape[T]{members: members, index: map[string]int{}}
	for i, m := range members {
		s.index[m.name] = i
		if !m.optional {
			s.needed |= 1 << i
		}
	}
	return s
}

// set returns the set of the named members.
func (sh *shape[T]) set(names string) (set uint64) {
	for name := range strings.FieldsSeq(names) {
		set |= 1 << sh.index[name]
	}
	return set
}

// read reads an object into v and returns the set of members that have a
// value. Members that the shape does not have are skipped: newer nodes send
// more.
func (sh *shape[T]) read(r *reader, v *T) (filled uint64) {
	var seen uint64
	r.object(func(name []byte) {
		i, known := sh.index[string(name)]
		if !known {
			r.read()
			return
		}
		m := &sh.members[i]
		if seen&(1<<i) != 0 {
			r.fail("member %q occurs twice", m.name)
			return
		}
		seen |= 1 << i
		if m.optional && r.next() == jsontext.KindNull {
			r.token()
			return
		}
		filled |= 1 << i
		if m.read(r, v); r.err != nil {
			r.err = fmt.Errorf("%s: %w", m.name, r.err)
		}
	})
	sh.demand(r, sh.needed, filled)
	return filled
}

// demand fails when one of the needed members has no value.
func (sh *shape[T]) demand(r *reader, needed, filled uint64) {
	if missing := needed &^ filled; missing != 0 {
		r.fail("member %q is missing", sh.members[bits.TrailingZeros64(missing)].name)
	}
}

// decode reads the one object in text.
func (sh *shape[T]) decode(text []byte) (T, error) {
	return decode(text, func(r *reader) (v T) {
		sh.read(r, &v)
		return v
	})
}

// optional makes a member optional.
func optional[T any](m member[T]) member[T] {
	m.optional = true
	return m
}

// felt is a member that holds a felt.
func felt[T any](name string, of func(*T) *starknet.Felt) member[T] {
	return member[T]{name: name, read: func(r *reader, v *T) { *of(v) = r.felt() }}
}

// parsed is a member that holds a string that the field's type parses.
func parsed[T any, P encoding.TextUnmarshaler](name string, of func(*T) P) member[T] {
	return member[T]{name: name, read: func(r *reader, v *T) {
		if err := of(v).UnmarshalText(r.rawString()); err != nil {
			r.fail("%w", err)
		}
	}}
}

// felts is a member that holds an array of felts.
func felts[T any](name string, of func(*T) *[]starknet.Felt) member[T] {
	return member[T]{name: name, read: func(r *reader, v *T) { *of(v) = r.feltArray() }}
}

// number is a member that holds an unsigned JSON number.
func number[T any](name string, of func(*T) *uint64) member[T] {
	return member[T]{name: name, read: func(r *reader, v *T) { *of(v) = r.uint() }}
}

// text is a member that holds any string.
func text[T any](name string, of func(*T) *string) member[T] {
	return member[T]{name: name, read: func(r *reader, v *T) { *of(v) = r.string() }}
}

// enum is a member that holds one of the given strings.
func enum[T any, S ~string](name string, of func(*T) *S, allowed ...S) member[T] {
	return member[T]{name: name, read: func(r *reader, v *T) {
		raw := r.rawString()
		i := slices.IndexFunc(allowed, func(a S) bool { return string(a) == string(raw) })
		if i < 0 {
			r.fail("%q is not a value of the specification", Clip(string(raw), 40))
			return
		}
		*of(v) = allowed[i]
	}}
}

// object is a member that holds an object of another shape.
func object[T, U any](name string, sh *shape[U], of func(*T) *U) member[T] {
	return member[T]{name: name, read: func(r *reader, v *T) { sh.read(r, of(v)) }}
}

// list is a member that holds an array of objects of another shape.
func list[T, U any](name string, sh *shape[U], of func(*T) *[]U) member[T] {
	return member[T]{name: name, read: func(r *reader, v *T) {
		items := []U{}
		r.array(func() {
			var zero U
			items = append(items, zero)
			sh.read(r, &items[len(items)-1])
		})
		*of(v) = items
	}}
}
