package sandbox

// DefaultUser is the user and group id of sandboxed processes if this program runs as root. No account
// has it, so nothing on the host belongs to it.
const DefaultUser = 60921

// Options configure a sandbox. The zero value is usable.
type Options struct {
	// Bubblewrap is the path of the executable bwrap; empty to search for it in PATH.
	Bubblewrap string
	// User is the user and group id of sandboxed processes if this program runs as root; 0 means
	// DefaultUser. No other process may have it. Otherwise they have the user id of this program.
	User uint32
}
