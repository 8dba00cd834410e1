package account

import (
	"fmt"
	"log/slog"
	"strings"

	"astrolabe/domain"
)

const sessionPrefix = "ses_"

// SessionText is a session token as a browser's cookie or a script holds it:
//
//	svs_<the session's id without ses_>_<secret><checksum>
//
// It prints masked; Reveal is the only way to the whole text.
type SessionText struct {
	SessionID string
	secret    string
}

func newSessionText() SessionText {
	return SessionText{SessionID: sessionPrefix + randomText(publicIDDigits, idLength), secret: randomSecret()}
}

// ParseSessionText reads a session token. A wrong shape or checksum is
// unauthorized, as an unknown session is.
func ParseSessionText(text string) (SessionText, error) {
	parts := strings.Split(text, "_")
	if len(parts) != 3 || parts[0] != "svs" {
		return SessionText{}, unrecognisedSession()
	}
	id, tail := parts[1], parts[2]
	wellFormed := len(id) == idLength && strings.Trim(id, publicIDDigits) == "" &&
		len(tail) == secretLength+checksumLength && strings.Trim(tail, base62Digits) == ""
	if !wellFormed {
		return SessionText{}, unrecognisedSession()
	}
	token := SessionText{SessionID: sessionPrefix + id, secret: tail[:secretLength]}
	if checksum(token.stem()) != tail[secretLength:] {
		return SessionText{}, unrecognisedSession()
	}
	return token, nil
}

// unrecognisedSession is the one answer to every token that opens nothing.
func unrecognisedSession() error {
	return domain.Errorf(domain.CodeUnauthorized, "The session is invalid, expired or revoked. Sign in again.")
}

// Reveal returns the whole token, for the one moment in which its owner sees it.
func (t SessionText) Reveal() string { return t.stem() + checksum(t.stem()) }

// Masked returns the token with its secret masked.
func (t SessionText) Masked() string { return t.open() + "…" }

// Format prints the masked token for every verb.
func (t SessionText) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.Masked())) }

// LogValue keeps the secret out of structured logs.
func (t SessionText) LogValue() slog.Value { return slog.StringValue(t.Masked()) }

func (t SessionText) open() string {
	return "svs_" + strings.TrimPrefix(t.SessionID, sessionPrefix) + "_"
}

func (t SessionText) stem() string { return t.open() + t.secret }
