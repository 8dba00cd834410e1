package signin

import (
	"crypto/sha256"
	"encoding/base64"

	"astrolabe/domain/account"
)

// authorizationRequest is the address at the provider that a login begins
// with.
func (p *RelyingParty) authorizationRequest(e endpoints, login account.Login) string {
	address := *e.authorization
	query := address.Query() // the provider's own parameters stay
	for name, value := range map[string]string{
		"response_type": "code", "scope": "openid", "client_id": p.ClientID, "redirect_uri": p.redirectURI(),
		"state": login.State, "nonce": login.Nonce,
		"code_challenge": challenge(login.Verifier), "code_challenge_method": "S256",
	} {
		query.Set(name, value)
	}
	address.RawQuery = query.Encode()
	return address.String()
}

// challenge is what the provider learns of a verifier beforehand.
func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
