package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"astrolabe/domain/secret"
)

// SignedText is a short-lived token that is not stored: it is valid by its MAC
// under the deployment's session key. It prints masked.
type SignedText struct{ text string }

// Reveal returns the whole token.
func (t SignedText) Reveal() string { return t.text }

// Format prints the token's kind for every verb.
func (t SignedText) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.masked())) }

// LogValue keeps the token out of structured logs.
func (t SignedText) LogValue() slog.Value { return slog.StringValue(t.masked()) }

// MarshalText keeps the token out of documents that do not Reveal it.
func (t SignedText) MarshalText() ([]byte, error) { return []byte(t.masked()), nil }

func (t SignedText) masked() string {
	kind, _, _ := strings.Cut(t.text, "_")
	return kind + "_…"
}

// signer writes and reads signed tokens of one kind:
//
//	<kind>_<base64url of version, generation, expiry, payload, MAC>
//
// The kind is part of the MAC's input, so a token of one kind never passes for
// another, and so is whatever else a token is bound to.
type signer struct {
	kind string
	ring *secret.Ring
	now  func() time.Time
}

const (
	signedVersion = 1
	maxSigned     = 512
)

func (s signer) sign(expires time.Time, payload string, bound ...string) SignedText {
	key := s.ring.Current(secret.Session)
	body := []byte{signedVersion}
	body = binary.AppendUvarint(body, uint64(key.Generation))
	body = binary.AppendUvarint(body, uint64(expires.Unix()))
	body = append(body, payload...)
	mac := s.mac(key, body, bound)
	return SignedText{s.kind + "_" + base64.RawURLEncoding.EncodeToString(append(body, mac...))}
}

// opened is the content of a token.
type opened struct {
	payload string
	expires time.Time
}

// open reads a token of this kind that is authentic, bound to the same things
// and not expired.
func (s signer) open(ctx context.Context, text string, bound ...string) (token opened, ok bool) {
	encoded, ours := strings.CutPrefix(text, s.kind+"_")
	if !ours || len(text) > maxSigned || strings.ContainsAny(encoded, "\r\n") { // which the decoder would skip
		return opened{}, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil || len(raw) < sha256.Size {
		return opened{}, false
	}
	body, mac := raw[:len(raw)-sha256.Size], raw[len(raw)-sha256.Size:]
	generation, expires, payload, ok := parseSigned(body)
	if !ok {
		return opened{}, false
	}
	key, known := s.ring.Key(ctx, secret.Session, generation)
	same := hmac.Equal(mac, s.mac(key, body, bound))
	return opened{payload, time.Unix(expires, 0)}, known && same && s.now().Unix() < expires
}

// parseSigned reads a body that is not yet known to be authentic.
func parseSigned(body []byte) (generation uint32, expires int64, payload string, ok bool) {
	if len(body) == 0 || body[0] != signedVersion {
		return 0, 0, "", false
	}
	g, n := binary.Uvarint(body[1:])
	if n <= 0 || g > 1<<32-1 {
		return 0, 0, "", false
	}
	rest := body[1+n:]
	e, n := binary.Uvarint(rest)
	if n <= 0 || e > 1<<62 {
		return 0, 0, "", false
	}
	return uint32(g), int64(e), string(rest[n:]), true
}

func (s signer) mac(key secret.Key, body []byte, bound []string) []byte {
	return keyedHash(key, "signed "+s.kind, append(bound[:len(bound):len(bound)], string(body))...)
}

// keyedHash authenticates parts for one use. They are length-prefixed, so that
// no two lists of parts and no two uses share an input.
func keyedHash(key secret.Key, use string, parts ...string) []byte {
	h := hmac.New(sha256.New, key.Material[:])
	var length [8]byte
	for _, part := range append([]string{use}, parts...) {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}
