package rest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/cmd/astrolabe/logclient"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
	"astrolabe/repo/repotest"
	"astrolabe/repo/verify"
)

const logRoute = "/v1/verification/log"

// loggedService is a service whose log has 300 receipts, signed in two states.
func loggedService(t *testing.T) (s *service, conn *pgx.Conn, trustRoot []byte) {
	t.Helper()
	db, conn := repotest.Connect(t, repotest.Migrated)
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	signer := transparency.Signer{Private: private, Key: receipt.Key{
		ID: "k", PublicKey: private.Public().(ed25519.PublicKey), Environment: receipt.Demo, NotBefore: time.Unix(0, 0),
		Toolchain: receipt.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:" + strings.Repeat("5a", 32)},
	}}
	if _, err := conn.Exec(t.Context(), `
		ALTER TABLE verification_jobs DISABLE TRIGGER USER;
		INSERT INTO workspaces (id, name, plan, created_at) VALUES ('log', 'log', 'standard', now());
		INSERT INTO verification_keys VALUES ('k', decode(repeat('01', 32), 'hex'), 'demo', 'cairo-wasm', '2.8.2', 'sha256:00', now());
		INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at, finished_at)
			SELECT 'vrf_' || lpad(n::text, 26, '0'), 1, 'log', n::text, '{}', 5, now(), now(), now(), now() FROM generate_series(1, 300) n;
		ALTER TABLE verification_receipts DISABLE TRIGGER USER;
		INSERT INTO verification_receipts
			SELECT n, 'vrf_' || lpad(n::text, 26, '0'), 1, decode(repeat('01', 32), 'hex'), 'k', 'sha256:' || n, now(), '{}' FROM generate_series(1, 300) n;
		INSERT INTO verification_outbox SELECT n FROM generate_series(1, 300) n`); err != nil {
		t.Fatal(err)
	}
	integration := transparency.Integration{Store: verify.NewLog(db), Signer: func(context.Context) (transparency.Signer, error) { return signer, nil }, Now: time.Now}
	for _, want := range []int{256, 44} {
		if added, err := integration.Step(t.Context()); err != nil || added != want {
			t.Fatalf("got %d added and %v, want %d", added, err, want)
		}
	}
	trustRoot, err := json.Marshal(receipt.TrustRoot{Keys: []receipt.Key{signer.Key}})
	if err != nil {
		t.Fatal(err)
	}
	return newServiceOver(t, db, time.Now, nil), conn, trustRoot
}

func TestLogCanBeAuditedOverHTTP(t *testing.T) {
	t.Parallel()
	s, conn, trustRoot := loggedService(t)
	client := logclient.New(s.url)
	defer client.Close()
	audit := func() *transparency.Audited {
		t.Helper()
		audited, err := transparency.Audit(t.Context(), client, "", trustRoot, receipt.Rules{AllowDemo: true})
		if err != nil {
			t.Fatal(err)
		}
		return audited
	}
	if audited := audit(); audited.Checkpoint.Size != 300 || audited.Tiles != 3 || len(audited.Differences) > 0 {
		t.Errorf("got %+v, want 300 receipts in 3 tiles without a difference", audited)
	}
	for path, media := range map[string]string{"/checkpoint": "text/plain; charset=utf-8", "/tile/8/0/000": "application/octet-stream", "/tile/8/0/001.p/44": "application/octet-stream"} {
		a := s.get(logRoute + path)
		want := "private, max-age=31536000, immutable"
		if path == "/checkpoint" {
			want = "private, no-cache"
		}
		if a.Header.Get("Content-Type") != media || a.Header.Get("Cache-Control") != want {
			t.Errorf("%s: got %s and %s, want %s and %s", path, a.Header.Get("Content-Type"), a.Header.Get("Cache-Control"), media, want)
		}
	}
	if _, err := conn.Exec(t.Context(), "ALTER TABLE verification_log_hashes DISABLE TRIGGER USER; UPDATE verification_log_hashes SET hash = sha256(hash) WHERE index = 0"); err != nil {
		t.Fatal(err)
	}
	if audited := audit(); len(audited.Differences) != 2 || !strings.Contains(audited.Differences[0].Message, "tile/8/0/000") {
		t.Errorf("got %v, want the changed tile and the root", audited.Differences)
	}
}

func TestProofsOfTheLogVerifyOffline(t *testing.T) {
	t.Parallel()
	s, _, trustRoot := loggedService(t)
	root, err := receipt.ParseTrustRoot(trustRoot)
	if err != nil {
		t.Fatal(err)
	}
	a := s.get(logRoute + "/inclusion?receiptId=42&treeSize=256")
	proof, err := transparency.ParseInclusion([]byte(a.body))
	if err != nil || proof.ReceiptID != 42 || proof.TreeSize != 256 || len(proof.Hashes) != 8 {
		t.Fatalf("got %+v and %v, want receipt 42 in 256", proof, err)
	}
	a = s.get(logRoute + "/consistency?from=256")
	newest, err := transparency.VerifyConsistency(proof.Checkpoint, []byte(a.body), root, receipt.Rules{AllowDemo: true})
	if err != nil || newest.Size != 300 {
		t.Errorf("got %v and %v, want a consistent log of 300", newest, err)
	}
}

func TestUnknownSizesOfTheLogAreNotFound(t *testing.T) {
	t.Parallel()
	s, _, _ := loggedService(t)
	for path, want := range map[string]int{
		"/inclusion?receiptId=301":            http.StatusNotFound,
		"/inclusion?receiptId=1&treeSize=299": http.StatusNotFound,
		"/inclusion?receiptId=0":              http.StatusBadRequest,
		"/inclusion":                          http.StatusBadRequest,
		"/consistency?from=301":               http.StatusNotFound,
		"/consistency?from=1&to=299":          http.StatusNotFound,
		"/consistency?from=300&to=256":        http.StatusBadRequest,
		"/consistency?from=x":                 http.StatusBadRequest,
	} {
		if a := s.get(logRoute + path); a.StatusCode != want || a.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: got %d and %s, want %d", path, a.StatusCode, a.body, want)
		}
	}
}

func TestUnknownTilesOfTheLogAreRefused(t *testing.T) {
	t.Parallel()
	s, _, _ := loggedService(t)
	for path, want := range map[string]int{
		"8/0/001": http.StatusNotFound, "8/0/001.p/45": http.StatusNotFound, "8/0/x001/067": http.StatusNotFound, "8/0/x001/067.p/5": http.StatusNotFound,
		"4/0/000": http.StatusBadRequest, "8/0/0": http.StatusBadRequest, "8/data/000": http.StatusBadRequest, "8/0/000.p/256": http.StatusBadRequest, "8/0/a/b/c": http.StatusBadRequest,
	} {
		if a := s.get(logRoute + "/tile/" + path); a.StatusCode != want {
			t.Errorf("%s: got %d and %s, want %d", path, a.StatusCode, a.body, want)
		}
	}
}

func TestEmptyLogIsNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, path := range []string{"/checkpoint", "/tile/8/0/000", "/inclusion?receiptId=1", "/consistency?from=1"} {
		if a := s.get(logRoute + path); a.StatusCode != http.StatusNotFound || !strings.Contains(a.body, "no receipts yet") {
			t.Errorf("%s: got %d and %s, want 404", path, a.StatusCode, a.body)
		}
	}
}
