// Package classes holds the contract classes that the simulated chain declares.
//
// They are real: each is compiled from its own Cairo source in src, and its hash is the one
// that Starknet would give it. The compiled classes in compiled and manifest.json are made by
// go generate, which compiles what changed (scripts/cairo fetches the compiler); tests hold
// sources, classes and hashes together. A class's package is its file's name without version.
//
// Two things are not as on chain. There is no compiler from Sierra to machine code here, so a
// compiled class hash is a stand-in: see CompiledHash. And there are no Cairo 0 classes, whose
// compiler cannot be had here either; contracts in the old layouts are written in Cairo 1.
//
// Nothing here knows the chain: who declares, deploys and calls is the simulator's business.
package classes
