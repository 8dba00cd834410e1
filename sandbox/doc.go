// Package sandbox runs untrusted programs, such as a compiler on uploaded source, without access to
// anything of the host.
//
// A program runs under bubblewrap in namespaces of its own, without network, with an empty environment,
// without capabilities, behind a seccomp filter, and with limits on CPU time, wall clock, memory,
// processes, file size and output. It sees read-only mounts that its Job names, a private /tmp, and
// nothing else. Open checks every one of these measures by real runs and refuses a host that cannot
// enforce one; Measures says how each is enforced. A job that exceeds a limit fails with a *LimitError.
//
// The first process inside is this program itself: Reexec must be the first statement of main, and
// Register names the functions that may run inside. docs/sandbox.md describes the measures for operators.
//
// This package knows nothing of compilers, jobs or databases.
package sandbox
