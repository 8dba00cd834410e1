package signin

import (
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"strings"
	"time"

	"astrolabe/strictjson"
)

// refused is why an identity token is not accepted. It quotes nothing of the
// token.
type refused string

// Error implements error.
func (r refused) Error() string { return string(r) }

func refusal(err error) (string, bool) {
	reason, ok := errors.AsType[refused](err)
	return string(reason), ok
}

// skew is how far the provider's clock may be from ours.
const skew = time.Minute

// maxSubject is OpenID Connect's.
const maxSubject = 255

// claims are what an identity token says, as far as we look at it.
type claims struct {
	Issuer          string         `json:"iss"`
	Subject         string         `json:"sub"`
	Audience        strictjson.Raw `json:"aud"` // a text or a list of them
	AuthorizedParty *string        `json:"azp"`
	Expires         float64        `json:"exp"`
	IssuedAt        float64        `json:"iat"`
	NotBefore       *float64       `json:"nbf"`
	Nonce           string         `json:"nonce"`
}

// verify returns the subject of an identity token that the provider has
// signed for us and for the login with this nonce; a token that is not so is
// refused. When no key fits, the keys are asked for anew: the provider may
// have changed them.
func (p *provider) verify(ctx context.Context, text, nonce string) (string, error) {
	parsed, err := parseToken(text)
	if err != nil {
		return "", err
	}
	keys, err := p.keys.get(ctx)
	if err == nil && !parsed.signedBy(keys) {
		keys, err = p.keys.getNewer(ctx)
	}
	if err != nil {
		return "", unavailable(err)
	}
	if !parsed.signedBy(keys) {
		return "", refused("no key of the provider has signed it")
	}
	var c claims
	if err := strictjson.Decode(parsed.payload, &c, strictjson.AllowUnknownKeys()); err != nil {
		return "", refused("its claims are malformed")
	}
	return c.Subject, c.check(p.issuer, p.clientID, nonce, p.now())
}

func (c claims) check(issuer, clientID, nonce string, now time.Time) error {
	earliest, latest := seconds(now.Add(-skew)), seconds(now.Add(skew))
	switch {
	case c.Issuer != issuer:
		return refused("it is of another issuer")
	case !c.isFor(clientID):
		return refused("it is for another client")
	case c.Expires <= earliest:
		return refused("it has expired")
	case c.IssuedAt > latest || c.NotBefore != nil && *c.NotBefore > latest:
		return refused("it is of the future")
	case subtle.ConstantTimeCompare([]byte(c.Nonce), []byte(nonce)) != 1:
		return refused("it is of another login")
	case !isSubject(c.Subject):
		return refused("its subject is empty, too long or not printable ASCII")
	}
	return nil
}

func seconds(at time.Time) float64 { return float64(at.UnixNano()) / 1e9 }

// isFor tells whether a client is the audience and, where the token names the
// party that it was issued to, that party. A token for several must name it.
func (c claims) isFor(clientID string) bool {
	var (
		single   string
		audience []string
	)
	if strictjson.Decode(c.Audience, &single) == nil {
		audience = append(audience, single)
	} else if strictjson.Decode(c.Audience, &audience) != nil {
		return false
	}
	if !slices.Contains(audience, clientID) || len(audience) > 1 && c.AuthorizedParty == nil {
		return false
	}
	return c.AuthorizedParty == nil || *c.AuthorizedParty == clientID
}

func isSubject(text string) bool {
	unprintable := func(c rune) bool { return c < ' ' || c > '~' }
	return text != "" && len(text) <= maxSubject && !strings.ContainsFunc(text, unprintable)
}
