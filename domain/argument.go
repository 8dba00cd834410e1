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

// Named returns the error with the arguments in its message renamed.
func (e *Error) Named(name func(Argument) string) *Error {
	if !slices.ContainsFunc(e.args, isArgument) {
		return e
	}
	args := slices.Clone(e.args)
	for i, arg := range args {
		if argument, ok := arg.(Argument); ok {
			args[i] = name(argument)
		}
	}
	renamed := *e
	renamed.args, renamed.Message = args, fmt.Errorf(e.format, args...).Error()
	return &renamed
}

func isArgument(arg any) bool {
	_, ok := arg.(Argument)
	return ok
}

// Quote quotes a value of the caller for a message. Long values are cut.
func Quote(value string) string {
	const longest = 64
	if len(value) > longest {
		value = strings.ToValidUTF8(value[:longest], "") + "…"
	}
	return strconv.Quote(value)
}
