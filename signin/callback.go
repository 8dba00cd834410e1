package signin

import (
	"context"
	"net/http"
	"net/url"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/telemetry"
)

// Callback receives a browser that the provider redirects back, creates a
// session in the person's own workspace and redirects to the path that the
// login named. Clients that fail too often are refused before the provider is
// asked.
func (p *RelyingParty) Callback(w http.ResponseWriter, r *http.Request) {
	p.handle(w, r, http.MethodGet, func() error {
		client := p.Gate.Client(r)
		if err := p.failures.Check(client); err != nil {
			return err
		}
		err := p.complete(w, r)
		switch {
		case err == nil:
			return nil
		case domain.CodeOf(err) == domain.CodeServiceUnavailable || domain.CodeOf(err) == domain.CodeInternal:
			return err // not the client's fault
		}
		if limited := p.failures.Record(client); limited != nil {
			return limited
		}
		return err
	})
}

// complete completes a login.
func (p *RelyingParty) complete(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	login, err := p.resume(r, query)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), handlerTimeout)
	defer cancel()
	release, err := p.exchanges.take(p.Gate.Client(r))
	if err != nil {
		return err
	}
	defer release()
	p.clearLogin(w) // a login is good for one attempt
	if err := p.States.Use(ctx, login); err != nil {
		return err
	}
	person, err := p.identify(ctx, query, login)
	if err != nil {
		return err
	}
	token, err := p.createSession(ctx, person)
	if err != nil {
		return err
	}
	p.setSession(w, token)
	seeOther(w, p.PublicURL+login.Return)
	return nil
}

// resume finds the login that a callback belongs to.
func (p *RelyingParty) resume(r *http.Request, query url.Values) (account.Login, error) {
	token := ""
	if cookie, err := r.Cookie(access.CookieName(loginCookie, p.PublicURL)); err == nil {
		token = cookie.Value
	}
	state, _ := single(query, "state")
	return p.States.Resume(r.Context(), token, state)
}

// identify asks the provider who signed in, and refuses people who may not.
func (p *RelyingParty) identify(ctx context.Context, query url.Values, login account.Login) (account.Identity, error) {
	provider, err := p.provider.discovery(ctx)
	if err != nil {
		return account.Identity{}, err
	}
	code, err := authorizationCode(query, p.Issuer, provider.sendsIssuer)
	if err != nil {
		return account.Identity{}, err
	}
	person, err := p.provider.person(ctx, provider, code, login)
	if reason, ok := rejectionOf(err); ok {
		p.Logger.WarnContext(ctx, "identity token rejected", "requestId", telemetry.RequestID(ctx), "reason", reason)
		return account.Identity{}, domain.Errorf(domain.CodeUnauthorized, "The identity provider's token was rejected. Sign in again. If that fails, report the request ID to the operator, who finds the reason in the log.")
	}
	if err != nil {
		return account.Identity{}, err
	}
	if reason := p.refusal(person); reason != "" {
		p.Logger.InfoContext(ctx, "sign-in refused", "requestId", telemetry.RequestID(ctx), "reason", reason)
		return account.Identity{}, domain.Errorf(domain.CodeForbidden, "This account may not sign in here. Ask the operator for access.")
	}
	return account.Identity{Issuer: p.Issuer, Subject: person.subject}, nil
}

func (p *RelyingParty) createSession(ctx context.Context, person account.Identity) (account.SessionText, error) {
	home, err := p.Workspaces.Ensure(ctx, person.Workspace(), person.Actor())
	if err != nil {
		return account.SessionText{}, err
	}
	_, token, err := p.Gate.Sessions.CreateWithIdle(ctx, home.ID, person.Subject, p.SessionLasts, p.SessionIdle, person.Actor())
	return token, err
}

// authorizationCode reads the provider's authorization response. Its issuer is
// checked first: a response of another provider must not reach ours (RFC
// 9207).
func authorizationCode(query url.Values, issuer string, sendsIssuer bool) (string, error) {
	if iss, ok := single(query, "iss"); (query.Has("iss") || sendsIssuer) && (!ok || iss != issuer) {
		return "", domain.Errorf(domain.CodeInvalidRequest, "iss is not the configured identity provider. Sign in again at %s.", LoginPath)
	}
	if query.Has("error") {
		return "", authorizationFailure(query.Get("error"))
	}
	code, ok := single(query, "code")
	if !ok || len(code) > maxCode {
		return "", domain.Errorf(domain.CodeInvalidRequest, "code must be given once, with at most %d characters. Sign in again at %s.", maxCode, LoginPath)
	}
	return code, nil
}

// maxCode is more than any provider needs.
const maxCode = 4096

// authorizationFailure maps the provider's error codes to ours. Errors about
// the person are forbidden; all others are the fault of the deployment or of
// the provider.
func authorizationFailure(code string) error {
	switch code {
	case "access_denied", "login_required", "interaction_required", "account_selection_required", "consent_required":
		return domain.Errorf(domain.CodeForbidden, "The identity provider did not sign you in: %s.", code)
	}
	return unavailable(providerError(code))
}

// single returns a parameter that is given exactly once and not empty.
func single(query url.Values, name string) (string, bool) {
	values := query[name]
	if len(values) != 1 || values[0] == "" {
		return "", false
	}
	return values[0], true
}
