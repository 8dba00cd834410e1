package rest

import (
	"crypto/ed25519"
	"encoding/json"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
)

// admitted ends a job with a signed receipt and returns the receipt and the trust
// root.
func (v *verifier) admitted(job string) (string, receipt.TrustRoot) {
	v.t.Helper()
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	key := receipt.Key{
		ID: "ed25519:0123456789abcdef", PublicKey: private.Public().(ed25519.PublicKey), Environment: receipt.Demo,
		Toolchain: receipt.Toolchain{Name: "scarb", Version: "2.12.0", Digest: digest(nil)}, NotBefore: noon.Add(-time.Hour),
	}
	one := "0x1"
	signed, err := receipt.Sign(receipt.Evidence{
		JobID: path.Base(job), ChainID: domain.Mainnet, ClassHash: v.class.String(), ReceiptID: 1, SourceArchiveDigest: digest(sourceArchive),
		CandidateDigest: digest(nil), IssuedAt: noon.Format(time.RFC3339),
		Declaration: receipt.Declaration{BlockNumber: 7, BlockHash: one, TransactionHash: one, CompiledClassHash: one},
	}, key.Environment, key.Toolchain, key, private)
	if err != nil {
		v.t.Fatal(err)
	}
	body, err := json.Marshal(signed)
	if err != nil {
		v.t.Fatal(err)
	}
	v.addKey(key)
	v.execute("ALTER TABLE verification_receipts DISABLE TRIGGER USER") // only the controller adds receipts
	v.execute(`INSERT INTO verification_receipts (receipt_id, job, chain, class, key_id, digest, issued_at, body) VALUES (1, $1, 1, $2, $3, $4, $5, $6)`,
		path.Base(job), v.class[:], key.ID, signed.Digest(), noon, string(body))
	v.ends(job, verify.Succeeded)
	v.execute("UPDATE verification_jobs SET receipt_id = 1")
	return string(body), receipt.TrustRoot{Keys: []receipt.Key{key}}
}

func (v *verifier) addKey(k receipt.Key) {
	v.t.Helper()
	v.execute(`INSERT INTO verification_keys (key_id, public_key, environment, toolchain_name, toolchain_version, toolchain_digest, not_before, not_after, revoked_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, k.ID, []byte(k.PublicKey), string(k.Environment), k.Toolchain.Name, k.Toolchain.Version, k.Toolchain.Digest, k.NotBefore, k.NotAfter, k.RevokedAt)
}

// TestReceiptIsServedAsItWasSigned verifies the served bytes with the served trust
// root, as a client does.
func TestReceiptIsServedAsItWasSigned(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	job := v.created("k")
	want, _ := v.admitted(job)
	served := v.get(job + "/receipt")
	if served.StatusCode != http.StatusOK || served.body != want || served.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %d %s, want the signed bytes %s", served.StatusCode, served.body, want)
	}
	parsed, err := receipt.Parse([]byte(served.body))
	if err != nil {
		t.Fatal(err)
	}
	root, err := receipt.ParseTrustRoot([]byte(v.askWith(http.MethodGet, "/v1/verification/trust-root").body))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := root.Verify(parsed, receipt.Rules{AllowDemo: true}); err != nil {
		t.Errorf("got %v, want a receipt that the trust root verifies", err)
	}
	requireFailure(t, v.askWith(http.MethodGet, job+"/receipt", "X-Service-Api-Key", v.other), 404, domain.CodeNotFound)
	requireFailure(t, v.get(strings.Replace(job, "SN_MAIN", "SN_SEPOLIA", 1)+"/receipt"), 404, domain.CodeUnsupportedChain)
}

func TestTrustRootListsEveryKeyWithoutAKey(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	get := func() *receipt.TrustRoot {
		t.Helper()
		a := v.askWith(http.MethodGet, "/v1/verification/trust-root")
		root, err := receipt.ParseTrustRoot([]byte(a.body))
		if err != nil || a.StatusCode != http.StatusOK {
			t.Fatalf("got %d %s and %v, want a trust root", a.StatusCode, a.body, err)
		}
		return root
	}
	if root := get(); len(root.Keys) != 0 {
		t.Errorf("got %v, want no keys", root.Keys)
	}
	_, want := v.admitted(v.created("k"))
	ended := noon.Add(time.Hour)
	retired := receipt.Key{
		ID: "ed25519:00", PublicKey: make([]byte, ed25519.PublicKeySize), Environment: receipt.Production, Toolchain: want.Keys[0].Toolchain,
		NotBefore: noon, NotAfter: &ended, RevokedAt: &ended,
	}
	v.addKey(retired)
	want.Keys = append(want.Keys, retired)
	if diff := cmp.Diff(&want, get()); diff != "" {
		t.Errorf("got another trust root than stored (-want +got):\n%s", diff)
	}
}

func TestTrustRootIsRevalidated(t *testing.T) {
	t.Parallel()
	v := newVerifier(t)
	const route = "/v1/verification/trust-root"
	first := v.askWith(http.MethodGet, route)
	tag := first.Header.Get("ETag")
	if tag == "" || first.Header.Get("Last-Modified") != "" || !strings.Contains(first.Header.Get("Cache-Control"), "max-age=60") {
		t.Errorf("got the headers %v, want an ETag and max-age=60", first.Header)
	}
	if again := v.askWith(http.MethodGet, route, "If-None-Match", tag); again.StatusCode != http.StatusNotModified {
		t.Errorf("got %d with the ETag, want 304", again.StatusCode)
	}
	if dated := v.askWith(http.MethodGet, route, "If-Modified-Since", time.Now().UTC().Format(http.TimeFormat)); dated.StatusCode != http.StatusOK {
		t.Errorf("got %d with a date, want 200: keys have no date of change", dated.StatusCode)
	}
	v.admitted(v.created("k"))
	if changed := v.askWith(http.MethodGet, route, "If-None-Match", tag); changed.StatusCode != http.StatusOK || changed.Header.Get("ETag") == tag {
		t.Errorf("got %d with the ETag of another document, want 200 and a new one", changed.StatusCode)
	}
}
