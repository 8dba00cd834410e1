// Package signin lets people sign in with an OpenID Connect provider: the
// authorization code flow with PKCE, from the redirect to the provider to the
// session cookie, and signing out.
//
// It speaks to the provider (discovery, code exchange, keys, identity tokens)
// and to the browser (redirects, cookies). Whose workspace a person gets and
// what a session is are decided in domain/account. The provider is not
// trusted beyond its signature: its answers are bounded in size and time, its
// redirects are not followed, and no code, token or secret is ever logged.
package signin
