package toolchain

import (
	"context"
	"errors"

	"astrolabe/starknet"
)

// Compiler compiles Cairo source into classes. Implementations are safe for
// concurrent use.
type Compiler interface {
	// Identity identifies this compiler.
	Identity() Identity
	// Compile compiles the only contract of a source. It returns
	// ErrMalformedSource for invalid names, a *CompileError if the compiler
	// rejects the source, ErrLimit if it takes too much memory or time,
	// ErrClosed after Close, and the error of the context if that ends first.
	Compile(ctx context.Context, source Source) (*starknet.SierraClass, error)
	// Close closes the compiler after its last compilation. It may be called
	// twice.
	Close(ctx context.Context) error
}

// Identity identifies a compiler, so that builds of the same compiler can be
// recognised.
type Identity struct {
	Name    string
	Version string
	// Digest is the SHA-256 of the compiler's own bytes, in hexadecimal.
	Digest string
}

// Errors other than a source that does not compile.
var (
	// ErrNoCompiler reports that the compiler's file cannot be read.
	ErrNoCompiler = errors.New("no Cairo compiler")
	// ErrForeignCompiler reports a file that is not the pinned compiler.
	ErrForeignCompiler = errors.New("not the pinned Cairo compiler")
	// ErrMalformedSource reports a package or module name that is not a Cairo
	// identifier.
	ErrMalformedSource = errors.New("malformed Cairo source")
	// ErrMalformedOutput reports compiler output that cannot be parsed.
	ErrMalformedOutput = errors.New("malformed compiler output")
	// ErrLimit reports a compilation that exceeded its memory or time.
	ErrLimit = errors.New("compilation limit exceeded")
	// ErrClosed reports a compiler that was closed.
	ErrClosed = errors.New("compiler is closed")
)
