package account

import (
	"context"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/secret"
)

const (
	// LoginTime is how long a person may take to sign in.
	LoginTime = 10 * time.Minute
	// maxReturn bounds where a login returns to, so that its token fits into a
	// cookie.
	maxReturn = 200
)

// Login is a sign-in in progress: the state and nonce that the identity
// provider must return, and the path to return to.
type Login struct {
	State    string // returned with the redirect
	Nonce    string // returned in the ID token
	Verifier string // PKCE code verifier
	Return   string
}

// LoginStates keeps each sign-in in progress in a token that only its browser
// has.
type LoginStates struct {
	signer signer
}

// NewLoginStates makes the keeper.
func NewLoginStates(ring *secret.Ring, now func() time.Time) *LoginStates {
	return &LoginStates{signer{kind: "svl", ring: ring, now: now}}
}

// Begin draws a login that ends at a place and returns the browser's token
// with it. A place that is too long is invalid_request.
func (l *LoginStates) Begin(place string) (Login, SignedText, error) {
	if len(place) > maxReturn {
		return Login{}, SignedText{}, domain.Errorf(domain.CodeInvalidRequest, "The return path must have at most %d characters.", maxReturn)
	}
	login := Login{State: randomSecret(), Nonce: randomSecret(), Verifier: randomSecret(), Return: place}
	payload := login.Nonce + " " + login.Verifier + " " + login.Return
	return login, l.signer.sign(l.signer.now().Add(LoginTime), payload, login.State), nil
}

// Resume returns the login of a browser's token and the returned state. The
// token is bound to its state: a token that is missing, modified, expired or of
// another login is invalid_request.
func (l *LoginStates) Resume(ctx context.Context, token, state string) (Login, error) {
	opened, ok := l.signer.open(ctx, token, state)
	parts := strings.SplitN(opened.payload, " ", 3)
	if !ok || len(parts) != 3 {
		return Login{}, domain.Errorf(domain.CodeInvalidRequest, "This sign-in was started in another browser or has expired. Start again.")
	}
	return Login{State: state, Nonce: parts[0], Verifier: parts[1], Return: parts[2]}, nil
}
