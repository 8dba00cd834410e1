package signing_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/domain/verify/signing"
)

// fixed is the key of a fixed seed.
func fixed() signing.Key {
	return signing.New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize)))
}

// encoded returns the PEM text of a key.
func encoded(t *testing.T, k signing.Key) []byte {
	t.Helper()
	text, err := k.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// opensslKey was written by "openssl genpkey -algorithm ed25519" for a test, and
// signs nothing.
const opensslKey = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB\n-----END PRIVATE KEY-----\n"

func TestAKeyIsReadAsOpenSSLWritesIt(t *testing.T) {
	t.Parallel()
	got, err := signing.Parse([]byte(opensslKey))
	if err != nil {
		t.Fatal(err)
	}
	if want := fixed(); !got.Private.Equal(want.Private) || got.ID != want.ID {
		t.Errorf("got the key %s, want %s", got, want)
	}
	if text := encoded(t, got); string(text) != opensslKey {
		t.Errorf("got the text %s, want %s", text, opensslKey)
	}
}

func TestTheKeyIDIsDerivedFromThePublicKey(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256(fixed().Public())
	if got, want := fixed().ID, "ed25519:"+hex.EncodeToString(sum[:])[:16]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOtherKeysAreRefusedWithoutShowingThem(t *testing.T) {
	t.Parallel()
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{
		"nothing":          "",
		"raw bytes":        string(fixed().Private),
		"another curve":    string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"another type":     strings.ReplaceAll(opensslKey, "PRIVATE KEY", "EC PRIVATE KEY"),
		"encrypted":        strings.ReplaceAll(opensslKey, "PRIVATE KEY", "ENCRYPTED PRIVATE KEY"),
		"two keys":         opensslKey + opensslKey,
		"text before":      "key: " + opensslKey,
		"a damaged block":  strings.Replace(opensslKey, "MC4C", "MC4D", 1),
		"a truncated key":  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("short")})),
		"a base64 failure": strings.Replace(opensslKey, "MC4C", "****", 1),
	}
	for what, text := range cases {
		key, err := signing.Parse([]byte(text))
		if err == nil {
			t.Errorf("%s: got the key %s, want an error", what, key)
			continue
		}
		if strings.Contains(err.Error(), "AQEBAQEB") || strings.Contains(err.Error(), "\x01\x01\x01") {
			t.Errorf("%s: got the error %v, want one that does not show the key", what, err)
		}
	}
}

func TestAKeyFileThatOthersMayReadIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(path, encoded(t, fixed()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o600, 0o400, 0o640, 0o604, 0o644, 0o700, 0o660, 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := signing.ReadFile(path)
		if good := mode == 0o600 || mode == 0o400; good != (err == nil) {
			t.Errorf("mode %04o: got %v, want an error only if others have access", mode, err)
		}
		if err != nil && !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %04o: got %v, want the command that repairs it", mode, err)
		}
	}
}

func TestOnlyAFileOfAKeyIsRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	large := filepath.Join(folder, "large")
	if err := os.WriteFile(large, bytes.Repeat([]byte("\n"), 5<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, large, filepath.Join(folder, "absent"), "/dev/null"} {
		if _, err := signing.ReadFile(path); err == nil {
			t.Errorf("%s: got a key, want an error", path)
		}
	}
}

func TestNoTextShowsAKey(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("key", "key", fixed())
	for _, text := range []string{fmt.Sprint(fixed()), fmt.Sprintf("%v %+v %#v %s", fixed(), fixed(), fixed(), fixed()), log.String()} {
		if !strings.Contains(text, fixed().ID) || strings.Contains(text, "1, 1") || strings.Contains(text, "AQEB") || strings.Contains(text, "\x01") || strings.Contains(text, "[1 1") {
			t.Errorf("got %q, want only the id", text)
		}
	}
}
