package verification

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
	"astrolabe/starknet"
)

const (
	testKey    = "key-of-a-workspace"
	testJob    = "vrf_aaaaaaaaaaaaaaaaaaaaaaaa"
	classHash  = "0x15d976ab5bcdc8f6a2092a582cce3c252ebb1d781a7a9ecfda8a7c13987ee32"
	otherHash  = "0x42"
	exampleDir = "../../../examples/collection"
)

// service is a small verification service: it has one job, which passes the
// given states, one with each poll.
type service struct {
	*testing.T
	server *httptest.Server
	states []verify.State
	// answer replaces the response to a request, if it returns true.
	answer func(w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	requests []string // method and path
	polls    int
	logLag   int // how often the log does not have the receipt yet
	pkg      verify.Package
	private  ed25519.PrivateKey
	key      receipt.Key
}

func startService(t *testing.T, states ...verify.State) *service {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{T: t, states: states, private: private}
	s.key = receipt.Key{
		ID: "ed25519:test", PublicKey: public, Environment: receipt.Demo, NotBefore: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Toolchain: receipt.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:" + strings.Repeat("0", 64)},
	}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

// ServeHTTP implements http.Handler.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	if s.answer != nil && s.answer(w, r) {
		return
	}
	const jobs = "/v1/SN_MAIN/verification-jobs"
	if sent := r.Header.Get("X-Service-Api-Key") != ""; sent != strings.HasPrefix(r.URL.Path, jobs) {
		s.Errorf("%s %s: got an API key %t, want one only for jobs", r.Method, r.URL.Path, sent)
	}
	body, _ := io.ReadAll(r.Body)
	switch r.Method + " " + r.URL.Path {
	case "POST " + jobs:
		s.create(w, r, body)
	case "PUT " + jobs + "/" + testJob + "/source":
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256(body)); got != s.pkg.UploadDigest || r.Header.Get("Content-Type") != "application/gzip" || r.ContentLength != s.pkg.UploadByteLength {
			s.Errorf("upload: got %s of %d bytes as %q, want %s of %d bytes as application/gzip", got, r.ContentLength, r.Header.Get("Content-Type"), s.pkg.UploadDigest, s.pkg.UploadByteLength)
		}
		s.view(w, http.StatusAccepted, verify.Validating)
	case "GET " + jobs + "/" + testJob:
		state := s.states[min(s.polls, len(s.states)-1)]
		s.polls++
		s.view(w, http.StatusOK, state)
	case "POST " + jobs + "/" + testJob + "/cancel":
		s.view(w, http.StatusOK, verify.Cancelled)
	case "GET " + jobs + "/" + testJob + "/receipt":
		s.write(w, http.StatusOK, s.receipt(s.pkg.UploadDigest))
	case "GET /v1/verification/trust-root":
		s.write(w, http.StatusOK, json.RawMessage(s.trustRoot()))
	case "GET /v1/verification/log/inclusion":
		if s.logLag--; s.logLag >= 0 {
			refuse(w, http.StatusNotFound, "not_found", "The log does not have the receipt.")
			return
		}
		s.write(w, http.StatusOK, s.inclusion())
	default:
		refuse(w, http.StatusNotFound, "not_found", "There is no such route.")
	}
}

func (s *service) create(w http.ResponseWriter, r *http.Request, body []byte) {
	var err error
	if s.pkg, err = verify.ParsePackage(body); err != nil || r.Header.Get("Idempotency-Key") == "" {
		s.Errorf("create: got %v and the idempotency key %q, want a package and a key", err, r.Header.Get("Idempotency-Key"))
	}
	s.write(w, http.StatusCreated, map[string]any{"jobId": testJob, "state": verify.AwaitingUpload, "pollAfterSeconds": 5})
}

func (s *service) view(w http.ResponseWriter, status int, state verify.State) {
	body := map[string]any{"jobId": testJob, "state": state, "pollAfterSeconds": 5, "failureCode": nil, "failureMessage": nil, "retryable": nil, "receiptId": nil, "build": nil}
	switch state {
	case verify.Succeeded:
		body["receiptId"] = 1
	case verify.Mismatch:
		body["producedClassHash"], body["failureCode"] = otherHash, "class_hash_mismatch"
	case verify.Failed:
		body["failureCode"], body["failureMessage"], body["retryable"] = "build_failed", "The compiler\x1b[31m refused the source.", false
		body["build"] = map[string]any{"logTail": "error: no such name"}
	}
	s.write(w, status, body)
}

func (s *service) write(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(document); err != nil {
		s.Error(err)
	}
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"code": %q, "message": %q, "docSlug": "", "requestId": "r1"}`, code, message)
}

func (s *service) receipt(source string) *receipt.Receipt {
	signed, err := receipt.Sign(receipt.Evidence{
		JobID: testJob, ChainID: domain.Mainnet, ClassHash: classHash, ReceiptID: 1, SourceArchiveDigest: source,
		CandidateDigest: "sha256:" + strings.Repeat("1", 64), IssuedAt: "2026-11-16T18:00:00Z",
		Declaration: receipt.Declaration{BlockNumber: 7, BlockHash: "0x1", TransactionHash: "0x2", CompiledClassHash: "0x3"},
	}, s.key.Environment, s.key.Toolchain, s.key, s.private)
	if err != nil {
		s.Fatal(err)
	}
	return signed
}

// inclusion returns the proof that a log of one receipt has it.
func (s *service) inclusion() *transparency.InclusionProof {
	checkpoint, err := transparency.Signer{Key: s.key, Private: s.private}.Sign(1, tlog.RecordHash([]byte(s.receipt(s.pkg.UploadDigest).Digest())), s.key.NotBefore)
	if err != nil {
		s.Fatal(err)
	}
	return &transparency.InclusionProof{ReceiptID: 1, TreeSize: 1, Hashes: []string{}, Checkpoint: checkpoint.Note}
}

func (s *service) trustRoot() []byte {
	root, err := json.Marshal(receipt.TrustRoot{Keys: []receipt.Key{s.key}})
	if err != nil {
		s.Fatal(err)
	}
	return root
}

func (s *service) count(request string) (count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r == request {
			count++
		}
	}
	return count
}

// submitter runs the command against a service.
type submitter struct {
	Submit
	stdout, log bytes.Buffer
	shown       []string
	terminal    bool
	pauses      []time.Duration
	// pause is called instead of waiting.
	pause func(context.Context) error
}

func newSubmitter(t *testing.T, s *service) *submitter {
	t.Helper()
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte(testKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	class := starknet.MustFelt(classHash)
	return &submitter{Submit: Submit{
		Dir: exampleDir, URL: s.server.URL + "/", Chain: domain.Mainnet, APIKeyFile: key, Output: dir,
		PackageSettings: PackageSettings{Class: &class, Package: "erc721_keyed", ArtifactID: "i3s5d4k3do170", ModulePath: "erc721_keyed::Erc721Keyed", Retention: "private-24h-v1"},
	}}
}

func (s *submitter) run(ctx context.Context) error {
	console := &Console{Stdout: &s.stdout, Logger: slog.New(slog.NewTextHandler(&s.log, nil))}
	if s.terminal {
		console.Progress = func(text string) { s.shown = append(s.shown, text) }
	}
	submission, err := s.prepare(console)
	if err != nil {
		return err
	}
	submission.pause = func(ctx context.Context, d time.Duration) error {
		s.pauses = append(s.pauses, d)
		if s.pause != nil {
			return s.pause(ctx)
		}
		return nil
	}
	return submission.run(ctx)
}

// pin writes the trust root of the service where the command reads it.
func (s *submitter) pin(t *testing.T, root []byte) {
	t.Helper()
	s.TrustRoot = filepath.Join(s.Output, "pinned.json")
	if err := os.WriteFile(s.TrustRoot, root, 0o600); err != nil {
		t.Fatal(err)
	}
}
