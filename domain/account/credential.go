package account

import "regexp"

// credentials matches texts that begin like a key, a session or a signed token.
var credentials = regexp.MustCompile(`svc_(live|test)_[a-z0-9]|sv[sbfl]_[A-Za-z0-9_-]{20}`)

// ResemblesCredential reports whether a text contains what looks like one of our
// keys, sessions or tokens, valid or not. Such a text is never stored, logged or
// repeated.
func ResemblesCredential(text string) bool { return credentials.MatchString(text) }
