package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// person exchanges an authorization code for tokens and returns who the identity
// token is about. A code that the provider rejects is invalid_request,
// an identity token that we do not accept is a rejection, and any other failure
// is service_unavailable.
func (p *provider) person(ctx context.Context, d *discovery, code string, login account.Login) (person, error) {
	tokens, err := d.oauth.Exchange(oidc.ClientContext(ctx, p.client), code, oauth2.VerifierOption(login.Verifier))
	if err != nil {
		return person{}, exchangeFailure(err)
	}
	encoded, ok := tokens.Extra("id_token").(string)
	if !ok {
		return person{}, unavailable(errors.New("code exchange: the response has no id_token"))
	}
	who, err := d.verify(ctx, encoded, tokens.AccessToken, login.Nonce)
	if err != nil {
		// go-oidc does not tell a bad signature from keys that it cannot get.
		if _, failure := d.keys.get(ctx); failure != nil {
			return person{}, unavailable(fmt.Errorf("keys: %w", failure))
		}
	}
	return who, err
}

// exchangeFailure keeps the response's body out of the log: it may quote the
// code.
func exchangeFailure(err error) error {
	response, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok:
	case response.ErrorCode == "invalid_grant":
		return domain.Errorf(domain.CodeInvalidRequest, "The identity provider rejected the authorization code. Sign in again at %s.", LoginPath)
	case response.ErrorCode == "":
		err = fmt.Errorf("the provider responds with status %d", response.Response.StatusCode)
	default:
		err = providerError(response.ErrorCode)
	}
	return unavailable(fmt.Errorf("code exchange: %w", err))
}

// providerError names an error of the provider, if it has the form of an OAuth
// error code.
func providerError(code string) error {
	if code == "" || len(code) > 40 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return errors.New("the provider reports an error without a valid code")
	}
	return fmt.Errorf("the provider reports %s", code)
}
