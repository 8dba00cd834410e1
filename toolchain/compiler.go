package toolchain

import (
	"context"
	"errors"

	"astrolabe/starknet"
)

// Compiler turns Cairo source into classes. Implementations are safe for concurrent use.
type Compiler interface {
	// Identity says which compiler this is.
	Identity() Identity
	// Compile compiles the only contract of a source. It returns ErrMalformedSource for a
	// source whose names are unusable, a *CompileError when the compiler rejects it, ErrLimit
	// when it takes too much memory or time, ErrClosed after Close, and the context's error
	// when that ends first.
	Compile(ctx context.Context, source Source) (*starknet.SierraClass, error)
	// Close ends the compiler once its last compilation is over. It is safe to call twice.
	Close(ctx context.Context) error
}

// Identity names a compiler so that two builds can be told to come from the same one.
type Identity struct {
	Name    string
	Version string
	// Digest is the SHA-256 of the compiler's own bytes, in hexadecimal.
	Digest string
}

// What can go wrong beside a source that does not compile, by meaning.
var (
	// ErrNoCompiler reports that the compiler's file cannot be read.
	ErrNoCompiler = errors.New("no Cairo compiler")
	// ErrForeignCompiler reports a file that is not the pinned compiler.
	ErrForeignCompiler = errors.New("not the pinned Cairo compiler")
	// ErrMalformedSource reports a package or module name that is no Cairo identifier.
	ErrMalformedSource = errors.New("malformed Cairo source")
	// ErrMalformedOutput reports an answer of the compiler that cannot be understood.
	ErrMalformedOutput = errors.New("malformed compiler output")
	// ErrLimit reports a compilation that exceeded its memory or time.
	ErrLimit = errors.New("compilation limit exceeded")
	// ErrClosed reports a compiler that was closed.
	ErrClosed = errors.New("compiler is closed")
)
