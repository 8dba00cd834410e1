package wire

import (
	"encoding"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"astrolabe/starknet"
)

// shape describes how an object of the specification is decoded into a T. It
// uses no reflection: blocks are most of what this process reads, and a missing
// member must be an error, never a zero.
type shape[T any] struct {
	members []member[T]
	index   map[string]int
	needed  uint64 // one bit per required member
}

// member is one member of an object.
type member[T any] struct {
	name     string
	optional bool // may be absent or null
	read     func(s *scanner, v *T)
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

// read decodes an object into v and returns the set of members that have a
// value. It skips unknown members, because newer nodes send more.
func (sh *shape[T]) read(s *scanner, v *T) (filled uint64) {
	var seen uint64
	s.object(func(key []byte) {
		i, known := sh.index[string(key)]
		if !known {
			s.value()
			return
		}
		m := &sh.members[i]
		if seen&(1<<i) != 0 {
			s.fail("member %q occurs twice", m.name)
			return
		}
		seen |= 1 << i
		if m.optional && s.next() == 'n' {
			if string(s.literal()) != "null" {
				s.fail("%s: %w", m.name, ErrMalformed)
			}
			return
		}
		filled |= 1 << i
		if m.read(s, v); s.err != nil {
			s.err = fmt.Errorf("%s: %w", m.name, s.err)
		}
	})
	sh.demand(s, sh.needed, filled)
	return filled
}

// demand fails if a required member has no value.
func (sh *shape[T]) demand(s *scanner, needed, filled uint64) {
	if missing := needed &^ filled; missing != 0 {
		s.fail("member %q is missing", sh.members[bits.TrailingZeros64(missing)].name)
	}
}

// decode reads the one object in text.
func (sh *shape[T]) decode(text []byte) (T, error) {
	return decode(text, func(s *scanner) (v T) {
		sh.read(s, &v)
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
	return member[T]{name: name, read: func(s *scanner, v *T) { *of(v) = s.felt() }}
}

// parsed is a member that holds a string that the field's type parses.
func parsed[T any, P encoding.TextUnmarshaler](name string, of func(*T) P) member[T] {
	return member[T]{name: name, read: func(s *scanner, v *T) {
		if err := of(v).UnmarshalText(s.rawString()); err != nil {
			s.fail("%w", err)
		}
	}}
}

// felts is a member that holds an array of felts.
func felts[T any](name string, of func(*T) *[]starknet.Felt) member[T] {
	return member[T]{name: name, read: func(s *scanner, v *T) { *of(v) = s.felts() }}
}

// number is a member that holds an unsigned JSON number.
func number[T any](name string, of func(*T) *uint64) member[T] {
	return member[T]{name: name, read: func(s *scanner, v *T) { *of(v) = s.uint() }}
}

// text is a member that holds any string.
func text[T any](name string, of func(*T) *string) member[T] {
	return member[T]{name: name, read: func(s *scanner, v *T) { *of(v) = s.string() }}
}

// enum is a member that holds one of the given strings.
func enum[T any, S ~string](name string, of func(*T) *S, allowed ...S) member[T] {
	return member[T]{name: name, read: func(s *scanner, v *T) {
		raw := s.rawString()
		i := slices.IndexFunc(allowed, func(a S) bool { return string(a) == string(raw) })
		if i < 0 {
			s.fail("%q is not a value of the specification", Clip(string(raw), 40))
			return
		}
		*of(v) = allowed[i]
	}}
}

// object is a member that holds an object of another shape.
func object[T, U any](name string, sh *shape[U], of func(*T) *U) member[T] {
	return member[T]{name: name, read: func(s *scanner, v *T) { sh.read(s, of(v)) }}
}

// list is a member that holds an array of objects of another shape.
func list[T, U any](name string, sh *shape[U], of func(*T) *[]U) member[T] {
	return member[T]{name: name, read: func(s *scanner, v *T) {
		items := []U{}
		s.array(func() {
			var zero U
			items = append(items, zero)
			sh.read(s, &items[len(items)-1])
		})
		*of(v) = items
	}}
}
