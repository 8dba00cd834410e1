package account

import (
	"context"
	"net/netip"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/secret"
)

// FirstPartyTime is the lifetime of a page token.
const FirstPartyTime = time.Hour

// FirstParty issues page tokens, with which our own pages read without an API
// key. A token is valid for one origin and one client.
type FirstParty struct {
	signer signer
}

// NewFirstParty makes the issuer.
func NewFirstParty(ring *secret.Ring, now func() time.Time) *FirstParty {
	return &FirstParty{signer{kind: "svf", ring: ring, now: now}}
}

// Issue returns a page token for an origin and a client, and its expiry.
func (f *FirstParty) Issue(origin string, client netip.Addr) (token SignedText, expires time.Time) {
	expires = f.signer.now().Add(FirstPartyTime).UTC().Truncate(time.Second)
	return f.signer.sign(expires, "", origin, ClientName(client)), expires
}

// Authenticate returns the caller of a valid token of this client and origin,
// who may only read, else unauthorized.
func (f *FirstParty) Authenticate(ctx context.Context, token, origin string, client netip.Addr) (*Caller, error) {
	subject := ClientName(client)
	opened, ok := f.signer.open(ctx, token, origin, subject)
	if !ok {
		return nil, domain.Errorf(domain.CodeUnauthorized, "The page token is invalid or has expired. Reload the page, or send an API key.")
	}
	return &Caller{Kind: ByFirstParty, Plan: Standard, Subject: subject, Until: opened.expires, Permissions: []Permission{Read}}, nil
}
