package signin

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/telemetry"
)

// Callback receives a person whom the provider sends back, makes a session in
// their own workspace and sends them to where they wanted to be.
func (p *RelyingParty) Callback(w http.ResponseWriter, r *http.Request) {
	p.handle(w, r, http.MethodGet, func() error {
		query := r.URL.Query()
		login, err := p.resume(r, query)
		if err != nil {
			return err
		}
		p.clearLogin(w) // good for one attempt
		ctx, cancel := context.WithTimeout(r.Context(), answerTime)
		defer cancel()
		person, err := p.identify(ctx, query, login)
		if err != nil {
			return err
		}
		token, err := p.begin(ctx, person)
		if err != nil {
			return err
		}
		p.setSession(w, token)
		seeOther(w, p.PublicURL+login.Return)
		return nil
	})
}

// resume finds the login that a callback belongs to.
func (p *RelyingParty) resume(r *http.Request, query url.Values) (account.Login, error) {
	token := ""
	if cookie, err := r.Cookie(access.CookieName(loginCookie, p.PublicURL)); err == nil {
		token = cookie.Value
	}
	state, _ := one(query, "state")
	return p.States.Resume(r.Context(), token, state)
}

// identify learns from the provider who came back.
func (p *RelyingParty) identify(ctx context.Context, query url.Values, login account.Login) (account.Identity, error) {
	select {
	case p.exchanges <- struct{}{}:
		defer func() { <-p.exchanges }()
	default:
		return account.Identity{}, domain.Unavailable(time.Second, nil, "Too many sign-ins are in progress. Retry.")
	}
	endpoints, err := p.provider.endpoints(ctx)
	if err != nil {
		return account.Identity{}, err
	}
	code, err := authorizationCode(query, p.Issuer, endpoints.namesIssuer)
	if err != nil {
		return account.Identity{}, err
	}
	text, err := p.provider.exchange(ctx, endpoints, code, login.Verifier, p.redirectURI())
	if err != nil {
		return account.Identity{}, err
	}
	subject, err := p.provider.verify(ctx, text, login.Nonce)
	if reason, ok := refusal(err); ok {
		p.Logger.WarnContext(ctx, "an identity token was refused", "requestId", telemetry.RequestID(ctx), "reason", reason)
		return account.Identity{}, domain.Errorf(domain.CodeUnauthorized, "the identity provider's answer cannot be accepted; the request id finds the reason in the log")
	}
	return account.Identity{Issuer: p.Issuer, Subject: subject}, err
}

// begin makes a person's session.
func (p *RelyingParty) begin(ctx context.Context, person account.Identity) (account.SessionText, error) {
	home, err := p.Workspaces.Ensure(ctx, person.Workspace(), person.Actor())
	if err != nil {
		return account.SessionText{}, err
	}
	_, token, err := p.Gate.Sessions.Create(ctx, home.ID, person.Subject, p.SessionLasts, person.Actor())
	return token, err
}

// authorizationCode reads the provider's answer that the browser brings.
func authorizationCode(query url.Values, issuer string, namesIssuer bool) (string, error) {
	if named, given := one(query, "iss"); (query.Has("iss") || namesIssuer) && (!given || named != issuer) {
		return "", domain.Errorf(domain.CodeInvalidRequest, "the answer is not of the identity provider that was asked; begin again")
	}
	if query.Has("error") {
		return "", refusedBy(query.Get("error"))
	}
	code, ok := one(query, "code")
	if !ok || len(code) > maxCode {
		return "", domain.Errorf(domain.CodeInvalidRequest, "the identity provider's answer has no code; begin again")
	}
	return code, nil
}

// maxCode bounds a code beyond what any provider needs.
const maxCode = 4096

// refusedBy turns the provider's error code into ours. A person who was not
// let in is forbidden; everything else is the deployment's or the provider's
// fault.
func refusedBy(code string) error {
	switch code {
	case "access_denied", "login_required", "interaction_required", "account_selection_required", "consent_required":
		return domain.Errorf(domain.CodeForbidden, "the identity provider did not sign you in")
	}
	return unavailable(providerError(code))
}

// one returns a parameter that is given exactly once and not empty.
func one(query url.Values, name string) (string, bool) {
	values := query[name]
	if len(values) != 1 || values[0] == "" {
		return "", false
	}
	return values[0], true
}
