// Package classes holds the contract classes that the simulated chain declares.
//
// Most are real: each is compiled from its own Cairo source in src and has the
// hash that Starknet would give it. go generate produces the compiled classes
// and manifest.json and compiles only what changed (scripts/cairo fetches the
// compiler); tests compare sources, classes and hashes. The package name of a
// class is its file name without the version.
//
// Two things differ from the chain. There is no compiler from Sierra to machine
// code here, so compiled class hashes are placeholders (see CompiledHash). And
// there is no compiler of Cairo 0, so the Cairo 0 classes (proxies and what they
// execute) have a placeholder as program and an ABI written by hand in cairo0;
// their hashes follow from both. Plain contracts in the old layouts are written
// in Cairo 1.
//
// This package does not depend on the chain: the simulator declares, deploys
// and calls.
package classes
