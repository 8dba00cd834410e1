package signin

import (
	"context"
	"crypto/subtle"
	"errors"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

// clockSkew is how far the provider's clock may be from ours.
const clockSkew = time.Minute

// maxSubject is OpenID Connect's limit, in characters.
const maxSubject = 255

// algorithms are the signature algorithms that we accept. There is no
// symmetric one: its secret would be the provider's public key.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}

// rejection is why an identity token is not accepted, for the log.
type rejection string

// Error implements error.
func (r rejection) Error() string { return string(r) }

// verifier verifies identity tokens: go-oidc the signature, issuer, audience
// and expiry, and the verifier what go-oidc leaves to its caller.
type verifier struct {
	tokens *oidc.IDTokenVerifier
	client string
	now    func() time.Time
}

// verifierConfig tells go-oidc what to require of an identity token.
func verifierConfig(clientID string, now func() time.Time) *oidc.Config {
	config := &oidc.Config{ClientID: clientID, Now: func() time.Time { return now().Add(-clockSkew) }}
	for _, algorithm := range algorithms {
		config.SupportedSigningAlgs = append(config.SupportedSigningAlgs, string(algorithm))
	}
	return config
}

// verify returns who an identity token is about that the provider has signed
// for this client and for the login with this nonce. Any other token is a
// rejection.
func (v verifier) verify(ctx context.Context, encoded, accessToken, nonce string) (person, error) {
	if err := checkEncoding(encoded); err != nil {
		return person{}, err
	}
	token, err := v.tokens.Verify(ctx, encoded)
	if err != nil {
		return person{}, rejection(err.Error())
	}
	var claims struct {
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // only true counts, no text
	}
	if err := token.Claims(&claims); err != nil {
		return person{}, rejection("malformed claims: " + err.Error())
	}
	verified, _ := claims.Verified.(bool)
	return person{token.Subject, claims.Email, verified}, v.check(token, accessToken, nonce)
}

// checkEncoding rejects tokens that go-oidc would read although they are no
// JWTs: JSON serialization, white space, and critical header parameters, of
// which JWTs define none.
func checkEncoding(encoded string) error {
	const base64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	if strings.Trim(encoded, base64URL+".") != "" {
		return rejection("the token is not in compact serialization")
	}
	token, err := jose.ParseSignedCompact(encoded, algorithms)
	if err != nil {
		return rejection("malformed token: " + err.Error())
	}
	if _, critical := token.Signatures[0].Protected.ExtraHeaders["crit"]; critical {
		return rejection("the header has critical parameters")
	}
	return nil
}

// check makes the checks that go-oidc leaves to its caller. There is none for
// tokens that are valid for very long: the nonce already limits a token to one
// login.
func (v verifier) check(token *oidc.IDToken, accessToken, nonce string) error {
	var claims struct {
		AuthorizedParty *string  `json:"azp"`
		IssuedAt        *float64 `json:"iat"`
		NotBefore       *float64 `json:"nbf"`
	}
	if err := token.Claims(&claims); err != nil {
		return rejection("malformed claims: " + err.Error())
	}
	latest := float64(v.now().Add(clockSkew).Unix())
	switch {
	case claims.IssuedAt == nil:
		return rejection("iat is missing")
	case *claims.IssuedAt > latest || claims.NotBefore != nil && *claims.NotBefore > latest:
		return rejection("iat or nbf is in the future")
	case len(token.Audience) > 1 && claims.AuthorizedParty == nil:
		return rejection("aud has several clients and azp is missing")
	case claims.AuthorizedParty != nil && *claims.AuthorizedParty != v.client:
		return rejection("azp is another client")
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1:
		return rejection("nonce is not that of the login")
	case token.AccessTokenHash != "" && token.VerifyAccessToken(accessToken) != nil:
		return rejection("at_hash is of another access token")
	case !isSubject(token.Subject):
		return rejection("sub is empty, too long or not printable ASCII")
	}
	return nil
}

func isSubject(text string) bool {
	unprintable := func(c rune) bool { return c < ' ' || c > '~' }
	return text != "" && len(text) <= maxSubject && !strings.ContainsFunc(text, unprintable)
}

// rejectionOf returns why a token was rejected, if err says so.
func rejectionOf(err error) (string, bool) {
	reason, ok := errors.AsType[rejection](err)
	return excerpt(string(reason)), ok
}
