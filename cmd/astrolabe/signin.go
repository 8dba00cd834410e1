package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"astrolabe/access"
	"astrolabe/domain/account"
	"astrolabe/repo/accounts"
	"astrolabe/rest"
	"astrolabe/rest/frame"
	"astrolabe/signin"
)

// signinSettings configure sign-in. Without them, only the session command
// creates sessions.
type signinSettings struct {
	PublicURL            string        `help:"Public origin of this service, for example https://explorer.example. Required for sign-in, and for the built-in pages behind a proxy that is not in --trusted-proxies." placeholder:"ORIGIN"`
	OIDCIssuer           string        `name:"oidc-issuer" help:"Issuer URL of the OpenID Connect provider for sign-in. Register <public-url>/auth/callback as the redirect URL." placeholder:"URL"`
	OIDCClientID         string        `name:"oidc-client-id" help:"OAuth client id of this service at the provider." placeholder:"ID"`
	OIDCClientSecret     secretText    `name:"oidc-client-secret" help:"OAuth client secret. Set it in the environment, never on the command line." hidden:""`
	OIDCClientSecretFile string        `name:"oidc-client-secret-file" help:"Read the OAuth client secret from this file, instead of ASTROLABE_OIDC_CLIENT_SECRET. A public client needs neither." type:"path" placeholder:"FILE"`
	OIDCAllowedDomains   []string      `name:"oidc-allowed-domains" help:"Let people sign in if their verified e-mail address is in one of these domains, for example example.org. The provider must put email and email_verified into the identity token. Default: everyone who has an account at the provider." placeholder:"DOMAIN"`
	OIDCAllowedSubjects  []string      `name:"oidc-allowed-subjects" help:"Let people sign in with one of these subjects (the claim sub), besides those of --oidc-allowed-domains." placeholder:"SUBJECT"`
	SessionLasts         time.Duration `help:"Lifetime of a sign-in session, at most 720h." default:"12h"`
	SessionIdle          time.Duration `help:"End a sign-in session that is not used for this long, at least 5m. 0 disables the limit." default:"2h"`
}

func (s signinSettings) check() error {
	if s.SessionLasts < time.Second || s.SessionLasts > account.MaxSession {
		return errors.New("--session-lasts must be at least 1s and at most 720h")
	}
	if s.SessionIdle != 0 && s.SessionIdle < account.MinIdle {
		return errors.New("--session-idle must be 0 or at least 5m")
	}
	if s.PublicURL != "" && (!isOrigin(s.PublicURL) || !signin.IsSecureURL(s.PublicURL)) {
		return fmt.Errorf("--public-url: %q is not an origin such as https://explorer.example (http is for this machine only)", s.PublicURL)
	}
	if s.OIDCIssuer+s.OIDCClientID+string(s.OIDCClientSecret)+s.OIDCClientSecretFile == "" && len(s.OIDCAllowedDomains)+len(s.OIDCAllowedSubjects) == 0 {
		return nil
	}
	for _, name := range s.OIDCAllowedDomains {
		if name == "" || strings.ContainsAny(name, "@* ") {
			return fmt.Errorf("--oidc-allowed-domains: %q is not a domain such as example.org", name)
		}
	}
	switch {
	case s.PublicURL == "" || s.OIDCIssuer == "" || s.OIDCClientID == "":
		return errors.New("sign-in needs --public-url, --oidc-issuer and --oidc-client-id")
	case !signin.IsSecureURL(s.OIDCIssuer) || strings.Contains(s.OIDCIssuer, "?"):
		return errors.New("--oidc-issuer must be an https URL (http is for this machine only)") // which may hold a password
	case s.OIDCClientSecret != "" && onCommandLine(os.Args, "--oidc-client-secret"):
		return errors.New("every user of this machine can read --oidc-client-secret; set ASTROLABE_OIDC_CLIENT_SECRET or --oidc-client-secret-file")
	}
	_, err := s.clientSecret()
	return err
}

func (s signinSettings) clientSecret() (string, error) {
	secret, err := secretFrom("--oidc-client-secret", s.OIDCClientSecret, s.OIDCClientSecretFile)
	if err == nil && secret == "" && s.OIDCClientSecretFile != "" {
		return "", usageError{errors.New("--oidc-client-secret-file is empty")}
	}
	return secret, err
}

// signIn returns the sign-in routes, or none without a provider.
func (d *deployment) signIn(s signinSettings, gate *access.Gate) ([]rest.Mount, error) {
	if s.OIDCIssuer == "" {
		return nil, nil
	}
	secret, err := s.clientSecret()
	if err != nil {
		return nil, err
	}
	party := signin.New(signin.Options{
		PublicURL: s.PublicURL, Issuer: s.OIDCIssuer, ClientID: s.OIDCClientID, ClientSecret: secret,
		SessionLasts: s.SessionLasts, SessionIdle: s.SessionIdle,
		AllowedDomains: s.OIDCAllowedDomains, AllowedSubjects: s.OIDCAllowedSubjects, Gate: gate, Workspaces: account.NewWorkspaces(accounts.NewWorkspaces(d.db.DB), time.Now),
		States: account.NewLoginStates(accounts.NewLogins(d.db.DB), d.ring, time.Now), Now: time.Now, Logger: d.logger,
		Fail: func(w http.ResponseWriter, r *http.Request, err error) { frame.Fail(w, r, d.logger, err) },
	})
	return []rest.Mount{
		{Pattern: signin.LoginPath, Handler: http.HandlerFunc(party.Login)},
		{Pattern: signin.CallbackPath, Handler: http.HandlerFunc(party.Callback)},
		{Pattern: signin.LogoutPath, Handler: http.HandlerFunc(party.Logout)},
	}, nil
}
