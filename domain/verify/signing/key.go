package signing

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// Key is a private key with its id. It prints as its id.
type Key struct {
	ID      string
	Private ed25519.PrivateKey
}

// New returns the key of a private key.
func New(private ed25519.PrivateKey) Key {
	return Key{ID(private.Public().(ed25519.PublicKey)), private}
}

// ID returns the keyId of a public key: ed25519: and the first 16 hexadecimal
// digits of its SHA-256.
func ID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return fmt.Sprintf("ed25519:%x", sum[:8])
}

// Public returns the public half.
func (k Key) Public() ed25519.PublicKey { return k.Private.Public().(ed25519.PublicKey) }

// String returns the id, so that no log shows the key.
func (k Key) String() string { return k.ID }

// GoString returns the id, so that no %#v shows the key.
func (k Key) GoString() string { return k.ID }

// LogValue returns the id, so that no log shows the key.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.ID) }

// howTo tells how to make a key.
const howTo = `create one with "openssl genpkey -algorithm ed25519"`

// Parse reads an Ed25519 key in PKCS#8 PEM: one block with nothing around it but
// white space.
func Parse(text []byte) (Key, error) {
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" || len(strings.TrimSpace(string(rest))) > 0 || !strings.HasPrefix(strings.TrimSpace(string(text)), "-----BEGIN PRIVATE KEY-----") {
		return Key{}, errors.New("the signing key must be one PEM block PRIVATE KEY (PKCS#8); " + howTo)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return Key{}, errors.New("the signing key is not valid PKCS#8; " + howTo) // the cause may quote the key
	}
	private, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return Key{}, fmt.Errorf("the signing key must be an Ed25519 key, got %T; %s", parsed, howTo)
	}
	return New(private), nil
}

// maxFile is the largest key file in bytes. An Ed25519 key has 119.
const maxFile = 4 << 10

// ReadFile reads a key file. Only its owner may have any access to it: the mode
// must be 0600 or 0400.
func ReadFile(path string) (key Key, err error) {
	file, err := os.Open(path)
	if err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	about, err := file.Stat() // of the open file, which nobody can exchange
	switch {
	case err != nil:
		return Key{}, fmt.Errorf("signing key: %w", err)
	case !about.Mode().IsRegular():
		return Key{}, fmt.Errorf("the signing key %s must be a file", path)
	case about.Mode().Perm()&^0o600 != 0:
		return Key{}, fmt.Errorf("the signing key %s has the mode %04o, so that others may read it; run: chmod 600 %s", path, about.Mode().Perm(), path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	if len(text) > maxFile {
		return Key{}, fmt.Errorf("the signing key %s is larger than %d bytes", path, maxFile)
	}
	key, err = Parse(text)
	if err != nil {
		return Key{}, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// Encode returns the key in the form that Parse reads.
func (k Key) Encode() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.Private)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}
