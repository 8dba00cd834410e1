package domain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Argument is an input of a request in an error message. Its text is the name
// in the domain, in camelCase; a facade whose clients know another name prints
// that one by Error.Named.
type Argument string

// Choice is a value of an enumeration in an error message. Its text is the
// value in the domain, in lower case; a facade that writes it otherwise prints
// that by Error.Spelled.
type Choice string

// Named returns the error with the arguments in its message renamed.
func (e *Error) Named(name func(Argument) string) *Error { return rewritten(e, name) }

// Spelled returns the error with the choices in its message rewritten.
func (e *Error) Spelled(spell func(Choice) string) *Error { return rewritten(e, spell) }

// rewritten returns the error with the parts of one type in its message
// rewritten.
func rewritten[T Argument | Choice](e *Error, rewrite func(T) string) *Error {
	is := func(arg any) bool {
		_, ok := arg.(T)
		return ok
	}
	if !slices.ContainsFunc(e.args, is) {
		return e
	}
	args := slices.Clone(e.args)
	for i, arg := range args {
		if part, ok := arg.(T); ok {
			args[i] = rewrite(part)
		}
	}
	changed := *e
	changed.args, changed.Message = args, fmt.Errorf(e.format, args...).Error()
	return &changed
}

// Quote quotes a value of the caller for a message. Long values are cut.
func Quote(value string) string {
	const longest = 64
	if len(value) > longest {
		value = strings.ToValidUTF8(value[:longest], "") + "…"
	}
	return strconv.Quote(value)
}
