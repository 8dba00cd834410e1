package account

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/secret"
)

const (
	// LoginTime is how long a person may take to sign in.
	LoginTime = 10 * time.Minute
	// maxReturn bounds the return path, so that the token fits into a cookie.
	maxReturn = 200
)

// Login is a sign-in in progress: what the identity provider must send back, and
// the path to return to afterwards.
type Login struct {
	State    string // comes back with the browser
	Nonce    string // comes back in the identity token
	Verifier string // PKCE: proves to the provider that we began this login
	Return   string // the local path to return to
	Expires  time.Time
}

// LoginStore remembers which logins were used.
type LoginStore interface {
	// UseLogin records that a login is used and reports true, or reports false
	// if it was used before. The record may be deleted after expires.
	UseLogin(ctx context.Context, id [sha256.Size]byte, expires time.Time) (first bool, err error)
}

// LoginStates keeps logins in progress, each in a token that only its browser
// holds.
type LoginStates struct {
	store  LoginStore
	signer signer
}

// NewLoginStates makes LoginStates that sign with the ring's keys.
func NewLoginStates(store LoginStore, ring *secret.Ring, now func() time.Time) *LoginStates {
	return &LoginStates{store, signer{kind: "svl", ring: ring, now: now}}
}

// Begin creates a login that returns to a path, with the PKCE verifier of its
// authorization request, and the browser's token for it. A path of more than
// maxReturn characters is invalid_request.
func (l *LoginStates) Begin(path, verifier string) (Login, SignedText, error) {
	if len(path) > maxReturn {
		return Login{}, SignedText{}, domain.Errorf(domain.CodeInvalidRequest, "return must have at most %d characters, got %d.", maxReturn, len(path))
	}
	expires := time.Unix(l.signer.now().Add(LoginTime).Unix(), 0)
	login := Login{State: randomSecret(), Nonce: randomSecret(), Verifier: verifier, Return: path, Expires: expires}
	payload := login.Nonce + " " + login.Verifier + " " + login.Return
	return login, l.signer.sign(expires, payload, login.State), nil
}

// Resume returns the login of a browser's token and the returned state. The
// token is bound to its state: a token that is missing, modified, expired or of
// another login is invalid_request.
func (l *LoginStates) Resume(ctx context.Context, token, state string) (Login, error) {
	opened, ok := l.signer.open(ctx, token, state)
	parts := strings.SplitN(opened.payload, " ", 3)
	if !ok || len(parts) != 3 {
		return Login{}, domain.Errorf(domain.CodeInvalidRequest, "This sign-in was not started in this browser, or took longer than %.0f minutes. Sign in again.", LoginTime.Minutes())
	}
	return Login{State: state, Nonce: parts[0], Verifier: parts[1], Return: parts[2], Expires: opened.expires}, nil
}

// Use uses a login up, for all processes. A login that was used before is
// invalid_request.
func (l *LoginStates) Use(ctx context.Context, login Login) error {
	first, err := l.store.UseLogin(ctx, sha256.Sum256([]byte(login.State)), login.Expires)
	if err == nil && !first {
		return domain.Errorf(domain.CodeInvalidRequest, "This sign-in was already completed. Sign in again.")
	}
	return err
}
