package flatten

import (
	"fmt"
	"strconv"
)

// Code is the reason of a Refusal, as verification jobs report it.
type Code string

// The codes of a Refusal.
const (
	// Unsupported is a package that Scarb may build, but that the WebAssembly
	// compiler cannot build exactly.
	Unsupported Code = "unsupported_toolchain"
	// Failed is a package that Scarb does not build either.
	Failed Code = "build_failed"
)

// Refusal says why a package is not flattened.
type Refusal struct {
	Code Code
	// Message tells the owner of the package which file is at fault and what to
	// change. Texts of the package are quoted.
	Message string
}

// Error returns the code and the message.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

func unsupported(format string, arguments ...any) error {
	return &Refusal{Unsupported, fmt.Sprintf(format, arguments...)}
}

func failed(format string, arguments ...any) error {
	return &Refusal{Failed, fmt.Sprintf(format, arguments...)}
}

// quote makes a text of the package safe to print, and bounds it.
func quote(text string) string {
	const longest = 120
	if len(text) > longest {
		return strconv.QuoteToASCII(text[:longest]) + "…"
	}
	return strconv.Quote(text)
}
