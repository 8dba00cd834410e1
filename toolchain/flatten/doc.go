// Package flatten turns a Scarb package into one Cairo source: every module that
// stands in a file of its own is written into the place where it is declared.
//
// The WebAssembly compiler takes one text and knows no files, manifests or
// settings. So this package also decides whether that compiler gives exactly what
// Scarb 2.8.2 gives for the package, and refuses the package if that is not
// certain. Tokens, modules and settings are read as the Cairo compiler and Scarb
// of that version read them.
//
// It reads files and does nothing else: it neither compiles nor checks the rules
// of source archives.
package flatten
