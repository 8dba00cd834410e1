// Package build rebuilds contracts from uploaded source in the sandbox. Wasm and
// Scarb implement verify.Compiler with the compiler of that name.
//
// The archive goes into the sandbox on standard input and is read there only. The
// compiler is mounted read-only, and what is executed is first compared with its
// pinned digest, inside. The answer comes back on standard output, where it is a
// claim of a program that read hostile source: it is bounded and has a known form,
// and its user recomputes the class hash.
//
// The program that uses this package calls sandbox.Reexec first, because the code
// that runs inside is registered here.
package build
