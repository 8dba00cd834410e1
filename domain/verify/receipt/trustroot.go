package receipt

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"astrolabe/domain"
	"astrolabe/strictjson"
)

// TrustRootVersion is the schemaVersion of a trust root.
const TrustRootVersion = "service-verification-trust-root-v1"

// MaxTrustRoot is the largest trust root in bytes.
const MaxTrustRoot = 1 << 20

// TrustRoot lists the keys whose receipts are trusted. Readers pin it over a
// channel that they trust.
type TrustRoot struct {
	Keys []Key
}

// Key signs receipts of one toolchain in one environment.
type Key struct {
	ID          string
	PublicKey   ed25519.PublicKey
	Environment Environment
	Toolchain   Toolchain
	NotBefore   time.Time  // the first time at which it may sign
	NotAfter    *time.Time // the last time at which it may sign; nil if it has no expiry
	RevokedAt   *time.Time // when the operator stopped trusting it; nil if trusted
}

// Ended reports whether the key was retired or revoked. It can no longer sign.
func (k *Key) Ended() bool { return k.NotAfter != nil || k.RevokedAt != nil }

// Environment is what a key's receipts are about.
type Environment string

// The environments of a key.
const (
	Production Environment = "production" // a real chain
	Demo       Environment = "demo"       // a simulated chain
)

// Toolchain is the compiler that a key signs for.
type Toolchain struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Digest  string `json:"digest"` // sha256: and 64 hexadecimal digits
}

// String returns name, version and digest.
func (t Toolchain) String() string { return fmt.Sprintf("%q %q %s", t.Name, t.Version, t.Digest) }

// trustRootDocument is a trust root as JSON.
type trustRootDocument struct {
	SchemaVersion string        `json:"schemaVersion"`
	Keys          []keyDocument `json:"keys"`
}

// keyDocument is a key as JSON. Raw tells a field that is null from one that is
// missing.
type keyDocument struct {
	KeyID       string         `json:"keyId"`
	Algorithm   string         `json:"algorithm"`
	PublicKey   string         `json:"publicKey"`
	Environment Environment    `json:"environment"`
	Toolchain   Toolchain      `json:"toolchain"`
	NotBefore   string         `json:"notBefore"`
	NotAfter    strictjson.Raw `json:"notAfter"`
	RevokedAt   strictjson.Raw `json:"revokedAt"`
}

// ParseTrustRoot reads a trust root. The error is MalformedTrustRoot for one that
// lists an id or a public key twice, or that does not have exactly the form of
// docs/verification.md.
func ParseTrustRoot(data []byte) (*TrustRoot, error) {
	if len(data) > MaxTrustRoot {
		return nil, refuse(MalformedTrustRoot, "The trust root is larger than %d bytes.", MaxTrustRoot)
	}
	var d trustRootDocument
	if err := strictjson.Decode(data, &d); err != nil {
		return nil, refuse(MalformedTrustRoot, "The trust root is malformed: %v.", err)
	}
	if err := firstBroken(MalformedTrustRoot, []rule{constant("schemaVersion", TrustRootVersion, d.SchemaVersion)}); err != nil {
		return nil, err
	}
	t := &TrustRoot{Keys: make([]Key, len(d.Keys))}
	for i, k := range d.Keys {
		var err error
		if t.Keys[i], err = k.key(fmt.Sprintf("keys[%d]", i)); err != nil {
			return nil, err
		}
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	return t, nil
}

// key reads what a document says about a key. Its id and its toolchain are checked
// with those of the other keys.
func (d keyDocument) key(at string) (Key, error) {
	public, isKey := decodeBase64(d.PublicKey, ed25519.PublicKeySize)
	notBefore, _ := parseTime(d.NotBefore)
	notAfter, afterOK := optionalTime(d.NotAfter)
	revokedAt, revokedOK := optionalTime(d.RevokedAt)
	return Key{d.KeyID, public, d.Environment, d.Toolchain, notBefore, notAfter, revokedAt}, firstBroken(MalformedTrustRoot, []rule{
		constant(at+".algorithm", Algorithm, d.Algorithm),
		{at + ".publicKey", isKey, "an Ed25519 public key in 43 characters of unpadded base64url", d.PublicKey},
		moment(at+".notBefore", d.NotBefore),
		{at + ".notAfter", afterOK, timeText + ", or null", string(d.NotAfter)},
		{at + ".revokedAt", revokedOK, timeText + ", or null", string(d.RevokedAt)},
	})
}

// optionalTime reads a time or null.
func optionalTime(raw strictjson.Raw) (*time.Time, bool) {
	var text *string
	if json.Unmarshal(raw, &text) != nil {
		return nil, false
	}
	if text == nil {
		return nil, true
	}
	at, ok := parseTime(*text)
	return &at, ok
}

var toolchainForm = regexp.MustCompile(`^[A-Za-z0-9._+-]{1,64}$`)

// check returns MalformedTrustRoot unless every key has its form and no two share
// an id or a public key. The signature does not cover keyId: with two entries for
// one public key, a receipt could be moved from one to the other.
func (t *TrustRoot) check() error {
	ids, publics := map[string]int{}, map[string]int{}
	for i, k := range t.Keys {
		at := fmt.Sprintf("keys[%d]", i)
		const toolchainText = "1 to 64 characters from A-Z a-z 0-9 . _ + -"
		err := firstBroken(MalformedTrustRoot, []rule{
			pattern(at+".keyId", keyIDForm, keyIDText, k.ID),
			{at + ".publicKey", len(k.PublicKey) == ed25519.PublicKeySize, "32 bytes long", string(k.PublicKey)},
			{at + ".environment", k.Environment == Production || k.Environment == Demo, "production or demo", string(k.Environment)},
			pattern(at+".toolchain.name", toolchainForm, toolchainText, k.Toolchain.Name),
			pattern(at+".toolchain.version", toolchainForm, toolchainText, k.Toolchain.Version),
			pattern(at+".toolchain.digest", digestForm, digestText, k.Toolchain.Digest),
		})
		if err != nil {
			return err
		}
		if k.NotAfter != nil && k.NotAfter.Before(k.NotBefore) {
			return refuse(MalformedTrustRoot, "%s.notAfter must not be before notBefore.", at)
		}
		if j, taken := ids[k.ID]; taken {
			return refuse(MalformedTrustRoot, "keys[%d] and %s must not have the same keyId.", j, at)
		}
		if j, taken := publics[string(k.PublicKey)]; taken {
			return refuse(MalformedTrustRoot, "keys[%d] and %s must not have the same publicKey.", j, at)
		}
		ids[k.ID], publics[string(k.PublicKey)] = i, i
	}
	return nil
}

// MarshalJSON writes the document that ParseTrustRoot reads. Keys without an end or a
// revocation have null there.
func (t TrustRoot) MarshalJSON() ([]byte, error) {
	d := trustRootDocument{TrustRootVersion, make([]keyDocument, len(t.Keys))}
	for i, k := range t.Keys {
		d.Keys[i] = keyDocument{
			k.ID, Algorithm, base64.RawURLEncoding.EncodeToString(k.PublicKey), k.Environment, k.Toolchain,
			formatTime(k.NotBefore), formatOptional(k.NotAfter), formatOptional(k.RevokedAt),
		}
	}
	return json.Marshal(d)
}

func formatTime(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

func formatOptional(at *time.Time) strictjson.Raw {
	if at == nil {
		return strictjson.Raw("null")
	}
	return strictjson.Raw(`"` + formatTime(*at) + `"`)
}

// Key returns the key of that id, or UnknownKey.
func (t *TrustRoot) Key(id string) (*Key, error) {
	for i := range t.Keys {
		if t.Keys[i].ID == id {
			return &t.Keys[i], nil
		}
	}
	return nil, refuse(UnknownKey, "The trust root does not list the key %s.", domain.Quote(id))
}
