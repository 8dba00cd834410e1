// Package source checks the tree of a source archive: whether the pinned
// toolchain can build it without a network and without running foreign code.
//
// A Check sees every file once, in the order of the archive, and keeps only what
// the manifests and the lock file say. It decides when the archive ends. What a
// path, a member or a dependency means follows Scarb's own reading of manifests.
//
// The package reads no files and starts no programs. Whether the toolchain has
// the versions that a project asks for is decided where it is pinned: Packages
// lists them.
package source
