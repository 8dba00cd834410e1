package account

import "slices"

// Permission is a permission of a caller. The operation table of REST and the
// @tier directive of GraphQL use the same list.
type Permission string

// The permissions. Utility routes are guarded by Batch. Every active key has
// Verify, which is neither granted nor withheld.
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

// Grantable lists the permissions that a key may have or lack.
var Grantable = slices.DeleteFunc(slices.Clone(Permissions), func(p Permission) bool { return p == Verify })
