package relay

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"astrolabe/domain/prove"
	"astrolabe/domain/secret"
	"astrolabe/prover/peers"
)

// certificate writes a certificate of a name, which signs itself, and returns its files.
func certificate(t *testing.T, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	cert, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// holder holds one payload.
type holder struct{}

func (holder) Holder() prove.Holder { return prove.Holder{ID: "h"} }
func (holder) Deliver(context.Context, string) (*prove.Payload, error) {
	return &prove.Payload{Result: prove.Conceal([]byte("{}"))}, nil
}

// TestPeersTalkOverTheConfiguredListener uses the files of the settings on both sides.
func TestPeersTalkOverTheConfiguredListener(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t, "localhost")
	stranger, _ := certificate(t, "localhost")
	keys := func() []secret.Material { return []secret.Material{{1}} }
	for name, c := range map[string]struct {
		settings Settings
		trusted  string
		want     bool
	}{
		"loopback":         {Settings{InternalAddr: "127.0.0.1:0"}, "", true},
		"TLS":              {Settings{InternalAddr: "localhost:0", InternalCert: cert, InternalKey: key}, cert, true},
		"a foreign issuer": {Settings{InternalAddr: "localhost:0", InternalCert: cert, InternalKey: key}, stranger, false},
		"no such issuer":   {Settings{InternalAddr: "localhost:0", InternalCert: cert, InternalKey: key}, "", false},
		"another name":     {Settings{InternalAddr: "127.0.0.1:0", InternalCert: cert, InternalKey: key}, cert, false},
	} {
		c.settings.InternalCA = c.trusted
		l, err := c.settings.listen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		l.server = &http.Server{Handler: peers.NewServer(holder{}, keys, slog.New(slog.DiscardHandler)), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), ReadHeaderTimeout: time.Minute}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := l.serve(ctx); err != nil {
				t.Error(err)
			}
		})
		payload, err := peers.NewClient(keys, l.roots).Deliver(t.Context(), prove.Holder{ID: "h", Address: l.address}, "j")
		if (err == nil && payload != nil) != c.want {
			t.Errorf("%s at %s: got %v and %v, want a payload %t", name, l.address, payload, err, c.want)
		}
		cancel()
		running.Wait()
	}
	for name, s := range map[string]Settings{
		"no certificate": {InternalAddr: "127.0.0.1:0", InternalCert: "/none", InternalKey: key},
		"no issuer":      {InternalAddr: "127.0.0.1:0", InternalCA: "/none"},
		"no PEM":         {InternalAddr: "127.0.0.1:0", InternalCA: "settings.go"},
	} {
		if _, err := s.listen(t.Context()); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
}
