package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"astrolabe/domain"
	"astrolabe/strictjson"
)

// exchange trades a code for an identity token. A code that the provider does
// not accept is invalid_request; a provider that answers anything else is
// service_unavailable. The access token that comes along is not even read.
func (p *provider) exchange(ctx context.Context, e endpoints, code, verifier, redirectURI string) (string, error) {
	request, err := p.tokenRequest(ctx, e, code, verifier, redirectURI)
	if err != nil {
		return "", err
	}
	status, body, err := p.channel.send(request)
	if err != nil {
		return "", unavailable(fmt.Errorf("code exchange: %w", err))
	}
	if status != http.StatusOK {
		return "", exchangeFailure(status, body)
	}
	var answer struct {
		IDToken string `json:"id_token"`
	}
	if err := strictjson.Decode(body, &answer, strictjson.AllowUnknownKeys()); err != nil {
		return "", unavailable(fmt.Errorf("code exchange: %w", err))
	}
	return answer.IDToken, nil
}

func (p *provider) tokenRequest(ctx context.Context, e endpoints, code, verifier, redirectURI string) (*http.Request, error) {
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirectURI}, "code_verifier": {verifier},
	}
	if p.clientSecret == "" {
		form.Set("client_id", p.clientID)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.token.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if p.clientSecret != "" {
		request.SetBasicAuth(url.QueryEscape(p.clientID), url.QueryEscape(p.clientSecret)) // as RFC 6749, 2.3.1 has it
	}
	return request, nil
}

func exchangeFailure(status int, body []byte) error {
	var answer struct {
		Error string `json:"error"`
	}
	if err := strictjson.Decode(body, &answer, strictjson.AllowUnknownKeys()); err != nil {
		return unavailable(fmt.Errorf("code exchange: the status is %d", status))
	}
	if answer.Error == "invalid_grant" {
		return domain.Errorf(domain.CodeInvalidRequest, "the identity provider does not accept this sign-in any more; begin again")
	}
	return unavailable(fmt.Errorf("code exchange: %w", providerError(answer.Error)))
}

// providerError names an error of the provider in the log, if it has the form
// of a code.
func providerError(code string) error {
	if code == "" || len(code) > 40 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return errors.New("the provider tells of an error without a code")
	}
	return fmt.Errorf("the provider says %s", code)
}
