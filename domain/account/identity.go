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

// Workspace is the name of the user's own workspace: the same at every sign-in,
// and unique to the user.
func (i Identity) Workspace() string {
	// The length prefix makes the concatenation unambiguous.
	sum := sha256.Sum256([]byte(strconv.Itoa(len(i.Issuer)) + " " + i.Issuer + i.Subject))
	return "oidc:" + hex.EncodeToString(sum[:])
}

// Actor is the user as the author of a change.
func (i Identity) Actor() Actor { return Actor{"oidc", i.Subject} }
