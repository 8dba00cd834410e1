package verify

import (
	"context"
	"io"
	"time"
)

// MaxClass is the largest class in bytes of JSON that a build may give.
const MaxClass = 16 << 20

// Compiler rebuilds a source in isolation.
type Compiler interface {
	// Toolchain returns what is pinned.
	Toolchain() Toolchain
	// Compile builds the contract that a package selects from its archive. It
	// returns a *Failure for a source that cannot be built; every other error says
	// that it could not decide. The Output has the log and the duration also with a
	// *Failure. When ctx ends, it ends the build and returns soon.
	Compile(ctx context.Context, archive io.Reader, p Package) (*Output, error)
}

// Output is the outcome of a build.
type Output struct {
	Class    []byte // the Sierra class as JSON, at most MaxClass bytes; nil with a failure
	LogTail  string // the last lines of the compiler's output
	Duration time.Duration
}
