package account

import "slices"

// Permission is a permission of an API key. The operation table of REST and the
// @tier directive of GraphQL use the same list.
type Permission string

// The permissions. Utility routes are guarded by Batch.
const (
	Read    Permission = "read"
	Batch   Permission = "batch"
	Partner Permission = "partner"
	Write   Permission = "write"
	Verify  Permission = "verify"
	Prove   Permission = "prove"
	Trace   Permission = "trace"
)

// Permissions lists all permissions.
var Permissions = []Permission{Read, Batch, Partner, Write, Verify, Prove, Trace}

// Valid reports whether p is a permission of the list.
func (p Permission) Valid() bool { return slices.Contains(Permissions, p) }
