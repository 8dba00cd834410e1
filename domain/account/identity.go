package account

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Identity is a person as an identity provider knows them. Only both parts
// together name one person.
type Identity struct {
	Issuer  string
	Subject string
}

// Workspace is the name of the person's own workspace: the same at every
// sign-in, and nobody else's.
func (i Identity) Workspace() string {
	// The length keeps apart what would read the same when joined.
	sum := sha256.Sum256([]byte(strconv.Itoa(len(i.Issuer)) + " " + i.Issuer + i.Subject))
	return "oidc:" + hex.EncodeToString(sum[:])
}

// Actor is the person who changes something by signing in.
func (i Identity) Actor() Actor { return Actor{"oidc", i.Subject} }
