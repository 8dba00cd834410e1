// Package toolchain turns Cairo source into Sierra classes.
//
// Compilers stand behind the interface Compiler. The one that lives here, Wasm, runs the Cairo
// 2.8.2 compiler, built for WebAssembly, inside this process: it sees no files, no network and
// no clock, and its memory and time are bounded. Its answer is corrected, deterministically and
// only where a 32-bit machine makes it differ, so that class hashes are those of the native
// compiler (sierra.go says how).
//
// The compiler itself is not part of the program: its file is named by Options and must have
// the pinned digest. Nothing here compares, stores or signs what was compiled, and isolating a
// compiler further is not its concern.
package toolchain
