// Package classes holds the contract classes that the simulated chain declares.
//
// They are real: each is compiled from its own Cairo source in src and has the
// hash that Starknet would give it. go generate produces the compiled classes
// and manifest.json and compiles only what changed (scripts/cairo fetches the
// compiler); tests compare sources, classes and hashes. The package name of a
// class is its file name without the version.
//
// Two things differ from the chain. There is no compiler from Sierra to machine
// code here, so compiled class hashes are placeholders (see CompiledHash). And
// there are no Cairo 0 classes, because their compiler is not available here;
// contracts in the old layouts are written in Cairo 1.
//
// This package does not depend on the chain: the simulator declares, deploys
// and calls.
package classes
