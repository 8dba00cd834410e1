// Package idptest is an OpenID Connect provider for tests: discovery,
// authorization (everybody consents at once), code exchange with PKCE, and
// keys of every kind that rotate, over real HTTPS.
//
// It is as strict as a good provider towards its client, and it can be told to
// misbehave towards it. Only tests import it.
package idptest
