// Package toolchain compiles Cairo source into Sierra classes.
//
// Compilers implement the interface Compiler. The implementation here, Wasm,
// runs the Cairo 2.8.2 compiler, built for WebAssembly, inside this process: it
// has no access to files, network or clock, and its memory and time are
// limited. Its output is corrected deterministically where a 32-bit machine
// makes it differ, so that class hashes equal those of the native compiler (see
// sierra.go).
//
// The compiler is not part of the program: Options names its file, which must
// have the pinned digest. This package does not compare, store or sign compiled
// classes, and does not isolate the compiler further: the package build does that
// for uploaded source, and the package flatten turns a tree of files into the one
// text that this compiler takes.
package toolchain
