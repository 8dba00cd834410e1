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

// signinSettings say how people sign in. Without them sessions come from the
// session command alone.
type signinSettings struct {
	PublicURL            string        `help:"The origin of this service as browsers see it, for example https://explorer.example. Needed for signing in, and for our pages behind a proxy that is not trusted." placeholder:"ORIGIN"`
	OIDCIssuer           string        `name:"oidc-issuer" help:"Let people sign in with this OpenID Connect provider. It must redirect to /auth/callback of the public URL." placeholder:"URL"`
	OIDCClientID         string        `name:"oidc-client-id" help:"The id under which the provider knows this service." placeholder:"ID"`
	OIDCClientSecret     secretText    `name:"oidc-client-secret" help:"The secret of that id. Set it in the environment, never on the command line." hidden:""`
	OIDCClientSecretFile string        `name:"oidc-client-secret-file" help:"Read the secret of that id from this file. A public client has none, here or in ASTROLABE_OIDC_CLIENT_SECRET." type:"path" placeholder:"FILE"`
	SessionLasts         time.Duration `help:"How long a person stays signed in, at most 720h." default:"12h"`
}

func (s signinSettings) check() error {
	if s.SessionLasts < time.Second || s.SessionLasts > account.MaxSession {
		return errors.New("--session-lasts must be at least 1s and at most 720h")
	}
	if s.PublicURL != "" && (!isOrigin(s.PublicURL) || !signin.IsSecureURL(s.PublicURL)) {
		return fmt.Errorf("--public-url: %q is not an origin such as https://explorer.example (http is for this machine only)", s.PublicURL)
	}
	if s == (signinSettings{PublicURL: s.PublicURL, SessionLasts: s.SessionLasts}) {
		return nil
	}
	switch {
	case s.PublicURL == "" || s.OIDCIssuer == "" || s.OIDCClientID == "":
		return errors.New("signing in needs --public-url, --oidc-issuer and --oidc-client-id")
	case !signin.IsSecureURL(s.OIDCIssuer) || strings.Contains(s.OIDCIssuer, "?"):
		return errors.New("--oidc-issuer must be an https URL (http is for this machine only)") // which may hold a password
	case s.OIDCClientSecret != "" && onCommandLine(os.Args, "--oidc-client-secret"):
		return errors.New("--oidc-client-secret shows the secret to every user of this machine; set ASTROLABE_OIDC_CLIENT_SECRET or --oidc-client-secret-file")
	}
	_, err := s.clientSecret()
	return err
}

func (s signinSettings) clientSecret() (string, error) {
	secret, err := secretFrom("OIDC client secret", s.OIDCClientSecret, s.OIDCClientSecretFile)
	if err == nil && secret == "" && s.OIDCClientSecretFile != "" {
		return "", usageError{errors.New("--oidc-client-secret-file is empty")}
	}
	return secret, err
}

// signIn makes the routes by which people sign in, none when no provider is
// configured.
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
		SessionLasts: s.SessionLasts, Gate: gate, Workspaces: account.NewWorkspaces(accounts.NewWorkspaces(d.db.DB), time.Now),
		States: account.NewLoginStates(d.ring, time.Now), Now: time.Now, Logger: d.logger,
		Fail: func(w http.ResponseWriter, r *http.Request, err error) { frame.Fail(w, r, d.logger, err) },
	})
	return []rest.Mount{
		{Pattern: signin.LoginPath, Handler: http.HandlerFunc(party.Login)},
		{Pattern: signin.CallbackPath, Handler: http.HandlerFunc(party.Callback)},
		{Pattern: signin.LogoutPath, Handler: http.HandlerFunc(party.Logout)},
	}, nil
}
