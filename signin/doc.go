// Package signin signs people in with an OpenID Connect provider: the
// authorization code flow with PKCE, from the redirect to the provider to the
// session cookie, and sign-out.
//
// go-oidc and oauth2 implement the protocol; this package bounds what they
// accept and handles the browser's redirects and cookies. domain/account
// decides whose workspace a person gets and what a session is. The provider is
// trusted for its signatures only: its responses are bounded in size and time,
// its redirects are not followed, and no code, token or secret is ever logged.
package signin
