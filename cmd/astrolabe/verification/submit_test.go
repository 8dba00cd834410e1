package verification

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
)

const (
	createRequest = "POST /v1/SN_MAIN/verification-jobs"
	uploadRequest = "PUT /v1/SN_MAIN/verification-jobs/vrf_aaaaaaaaaaaaaaaaaaaaaaaa/source"
	cancelRequest = "POST /v1/SN_MAIN/verification-jobs/vrf_aaaaaaaaaaaaaaaaaaaaaaaa/cancel"
)

// exitCode returns the exit code of an error, 1 for one without.
func exitCode(err error) int {
	if coded, ok := errors.AsType[*Error](err); ok {
		return coded.Code
	} else if err != nil {
		return 1
	}
	return 0
}

func TestSubmitFollowsAJobToItsReceipt(t *testing.T) {
	t.Parallel()
	service := startService(t, verify.Queued, verify.Building, verify.Comparing, verify.Succeeded)
	service.logLag = 2
	s := newSubmitter(t, service)
	s.pin(t, service.trustRoot())
	s.AllowDemo = true
	if err := s.run(t.Context()); err != nil {
		t.Fatalf("got %v, want a receipt; log: %s", err, s.log.String())
	}
	want := regexp.MustCompile(`^idempotencyKey [A-Z2-7]{26}
jobId vrf_aaaaaaaaaaaaaaaaaaaaaaaa
state succeeded
receipt \S+/erc721_keyed\.receipt\.json
receiptDigest sha256:[0-9a-f]{64}
inclusion \S+/erc721_keyed\.inclusion\.json
treeSize 1
verified verified_exact
keyId ed25519:test
environment demo
trustRootDigest sha256:[0-9a-f]{64}
$`)
	if got := s.stdout.String(); !want.MatchString(got) {
		t.Errorf("got the output\n%s\nwant\n%s", got, want)
	}
	if service.count(createRequest) != 1 || service.count(uploadRequest) != 1 {
		t.Errorf("got the requests %q, want one create and one upload", service.requests)
	}
	if slices.Max(s.pauses) != 5*time.Second || slices.Min(s.pauses) != 5*time.Second {
		t.Errorf("got the pauses %v, want those of pollAfterSeconds", s.pauses)
	}
	for _, state := range []string{"validating", "queued", "building", "comparing"} {
		if !strings.Contains(s.log.String(), "state="+state) {
			t.Errorf("got the log %s, want a line for the state %s", s.log.String(), state)
		}
	}
	signed, err := os.ReadFile(filepath.Join(s.Output, "erc721_keyed.receipt.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := receipt.Verify(signed, service.trustRoot(), receipt.Rules{AllowDemo: true}); err != nil {
		t.Errorf("the written receipt: got %v, want it valid", err)
	}
}

func TestTerminalShowsOneProgressLineInsteadOfLogLines(t *testing.T) {
	t.Parallel()
	s := newSubmitter(t, startService(t, verify.Building, verify.Cancelled))
	s.terminal = true
	_ = s.run(t.Context())
	if last := s.shown[len(s.shown)-1]; last != "" || !slices.ContainsFunc(s.shown, func(text string) bool { return strings.HasPrefix(text, "building, ") }) {
		t.Errorf("got the lines %q, want one for building and an empty one at the end", s.shown)
	}
	if strings.Contains(s.log.String(), "state=") {
		t.Errorf("got the log %s, want no line for a state", s.log.String())
	}
}

func TestWithoutAPinnedTrustRootTheReceiptIsNotAuthenticated(t *testing.T) {
	t.Parallel()
	s := newSubmitter(t, startService(t, verify.Succeeded))
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.stdout.String(), ".trust-root.unpinned.json\n") || strings.Contains(s.stdout.String(), "verified ") {
		t.Errorf("got the output %s, want an unpinned trust root and nothing verified", s.stdout.String())
	}
	if want := "not authenticated yet: get the trust root over a channel that you trust"; !strings.Contains(s.log.String(), want) {
		t.Errorf("got the log %s, want %q", s.log.String(), want)
	}
}

func TestEachEndOfAJobHasItsExitCode(t *testing.T) {
	t.Parallel()
	for state, want := range map[verify.State]struct {
		code         int
		text, output string
	}{
		verify.Mismatch:  {5, "the source compiles to the class 0x42, but the declared class is " + classHash, "declaredClassHash " + classHash + "\nproducedClassHash 0x42\n"},
		verify.Failed:    {6, "build_failed: The compiler [31m refused the source. (a retry of the same source cannot succeed)", "failureCode build_failed\nretryable false\n"},
		verify.Cancelled: {7, "cancelled", "state cancelled\n"},
		verify.Expired:   {8, "expired", "state expired\n"},
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			s := newSubmitter(t, startService(t, verify.Building, state))
			err := s.run(t.Context())
			if exitCode(err) != want.code || !strings.Contains(err.Error(), want.text) {
				t.Errorf("got exit code %d and %v, want %d and %q", exitCode(err), err, want.code, want.text)
			}
			if !strings.HasSuffix(s.stdout.String(), want.output) {
				t.Errorf("got the output %s, want %s at its end", s.stdout.String(), want.output)
			}
		})
	}
}

func TestCreateAndUploadAreSentOnce(t *testing.T) {
	t.Parallel()
	for _, request := range []string{createRequest, uploadRequest} {
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			service := startService(t, verify.Succeeded)
			service.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method+" "+r.URL.Path != request {
					return false
				}
				conn, _, err := http.NewResponseController(w).Hijack() // the connection breaks without a response
				if err == nil {
					err = conn.Close()
				}
				if err != nil {
					t.Error(err)
				}
				return true
			}
			s := newSubmitter(t, service)
			s.IdempotencyKey = "mine"
			err := s.run(t.Context())
			if exitCode(err) != 1 || !strings.Contains(err.Error(), "repeat the command with --idempotency-key mine") {
				t.Errorf("got exit code %d and %v, want 1 and how to continue", exitCode(err), err)
			}
			if got := service.count(request); got != 1 {
				t.Errorf("got %d requests, want 1", got)
			}
		})
	}
}

func TestJobThatHasItsSourceIsOnlyFollowed(t *testing.T) {
	t.Parallel()
	service := startService(t, verify.Cancelled)
	service.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method+" "+r.URL.Path != createRequest {
			return false
		}
		service.view(w, http.StatusOK, verify.Queued)
		return true
	}
	s := newSubmitter(t, service)
	if err := s.run(t.Context()); exitCode(err) != 7 || service.count(uploadRequest) != 0 {
		t.Errorf("got %v and %d uploads, want a cancelled job and no upload", err, service.count(uploadRequest))
	}
}

// The response to a repeated create has the state of a job, but neither its failure
// nor its receipt.
func TestRepeatedSubmissionOfAnEndedJobReadsItsEnd(t *testing.T) {
	t.Parallel()
	for state, want := range map[verify.State]struct {
		code   int
		output string
	}{
		verify.Succeeded: {0, "receiptDigest sha256:"},
		verify.Mismatch:  {5, "producedClassHash " + otherHash + "\n"},
		verify.Failed:    {6, "failureCode build_failed\nretryable false\n"},
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			service := startService(t, state)
			outages := 1
			service.answer = func(w http.ResponseWriter, r *http.Request) bool {
				switch {
				case r.Method+" "+r.URL.Path == createRequest:
					body, _ := io.ReadAll(r.Body)
					service.pkg, _ = verify.ParsePackage(body)
					service.write(w, http.StatusOK, map[string]any{"jobId": testJob, "chainId": "SN_MAIN", "state": state, "idempotencyKey": "mine", "pollAfterSeconds": 5})
				case outages > 0:
					outages--
					refuse(w, http.StatusServiceUnavailable, "unavailable", "Later.")
				default:
					return false
				}
				return true
			}
			s := newSubmitter(t, service)
			s.IdempotencyKey = "mine"
			if err := s.run(t.Context()); exitCode(err) != want.code || !strings.Contains(s.stdout.String(), want.output) {
				t.Errorf("got exit code %d, %v and the output %s, want %d and %s", exitCode(err), err, s.stdout.String(), want.code, want.output)
			}
			if service.count(uploadRequest) != 0 || !slices.Equal(s.pauses, []time.Duration{5 * time.Second}) {
				t.Errorf("got the requests %q and the pauses %v, want no upload and a pause only after the outage", service.requests, s.pauses)
			}
		})
	}
}

func TestRefusalOfTheServiceHasItsCode(t *testing.T) {
	t.Parallel()
	service := startService(t)
	service.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusTooManyRequests, "verification_active_job", "The workspace has an active job.")
		return true
	}
	err := newSubmitter(t, service).run(t.Context())
	if want := "verification_active_job: The workspace has an active job. Retry after 1m0s. (request r1)"; exitCode(err) != 4 || err.Error() != want {
		t.Errorf("got exit code %d and %v, want 4 and %s", exitCode(err), err, want)
	}
	if service.count(createRequest) != 1 {
		t.Errorf("got the requests %q, want one create", service.requests)
	}
}

func TestPollingSurvivesAnOutage(t *testing.T) {
	t.Parallel()
	service := startService(t, verify.Cancelled)
	outages := 3
	service.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || outages == 0 {
			return false
		}
		outages--
		w.Header().Set("Retry-After", "17")
		refuse(w, http.StatusServiceUnavailable, "unavailable", "Later.")
		return true
	}
	s := newSubmitter(t, service)
	if err := s.run(t.Context()); exitCode(err) != 7 {
		t.Errorf("got %v, want the job to be followed to its end", err)
	}
	if want := []time.Duration{5 * time.Second, 17 * time.Second, 17 * time.Second, 17 * time.Second}; !slices.Equal(s.pauses, want) {
		t.Errorf("got the pauses %v, want %v", s.pauses, want)
	}
}

func TestPollingGivesUpAfterTenFailures(t *testing.T) {
	t.Parallel()
	service := startService(t)
	service.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			refuse(w, http.StatusBadGateway, "bad_gateway", "Nobody is here.")
		}
		return r.Method == http.MethodGet
	}
	s := newSubmitter(t, service)
	if err := s.run(t.Context()); exitCode(err) != 4 || len(s.pauses) != mostFailures {
		t.Errorf("got %v after %d polls, want the refusal after %d", err, len(s.pauses), mostFailures)
	}
}

func TestInterruptLeavesTheJobUnlessItIsToBeCancelled(t *testing.T) {
	t.Parallel()
	for _, cancels := range []bool{false, true} {
		service := startService(t, verify.Building)
		s := newSubmitter(t, service)
		s.CancelOnInterrupt, s.IdempotencyKey = cancels, "mine"
		ctx, interrupt := context.WithCancel(t.Context())
		s.pause = func(ctx context.Context) error {
			interrupt()
			return ctx.Err()
		}
		err := s.run(ctx)
		if cancels {
			if exitCode(err) != 7 || service.count(cancelRequest) != 1 {
				t.Errorf("with --cancel-on-interrupt: got %v and the requests %q, want a cancelled job", err, service.requests)
			}
			continue
		}
		want := "/v1/SN_MAIN/verification-jobs/vrf_aaaaaaaaaaaaaaaaaaaaaaaa/cancel"
		if exitCode(err) != 9 || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), "--idempotency-key mine") || service.count(cancelRequest) != 0 {
			t.Errorf("got exit code %d, %v and the requests %q, want 9, the command to cancel, and no cancellation", exitCode(err), err, service.requests)
		}
	}
}

func TestReceiptOfAnotherSourceIsRefused(t *testing.T) {
	t.Parallel()
	service := startService(t, verify.Succeeded)
	service.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/receipt") {
			return false
		}
		service.write(w, http.StatusOK, service.receipt("sha256:"+strings.Repeat("2", 64)))
		return true
	}
	s := newSubmitter(t, service)
	err := s.run(t.Context())
	if exitCode(err) != 3 || !strings.HasPrefix(err.Error(), "other_receipt: ") || !strings.Contains(err.Error(), "sourceArchiveDigest") {
		t.Errorf("got exit code %d and %v, want 3 and the field that differs", exitCode(err), err)
	}
	if _, err := os.Stat(filepath.Join(s.Output, "erc721_keyed.receipt.json")); err == nil {
		t.Error("got a file with the other receipt, want none")
	}
}

func TestReceiptThatThePinnedTrustRootDoesNotKnowIsRefused(t *testing.T) {
	t.Parallel()
	service, other := startService(t, verify.Succeeded), startService(t)
	s := newSubmitter(t, service)
	s.pin(t, other.trustRoot())
	s.AllowDemo = true
	if err := s.run(t.Context()); exitCode(err) != 3 || !strings.HasPrefix(err.Error(), "invalid_signature: ") {
		t.Errorf("another key: got exit code %d and %v, want 3 and invalid_signature", exitCode(err), err)
	}
	s = newSubmitter(t, service)
	s.pin(t, service.trustRoot())
	if err := s.run(t.Context()); exitCode(err) != 3 || !strings.HasPrefix(err.Error(), "demo_key: ") {
		t.Errorf("without --allow-demo: got exit code %d and %v, want 3 and demo_key", exitCode(err), err)
	}
	s.TrustRootDigest = "sha256:" + strings.Repeat("3", 64)
	creates := service.count(createRequest)
	if err := s.run(t.Context()); exitCode(err) != 3 || !strings.HasPrefix(err.Error(), "trust_root_changed: ") || service.count(createRequest) != creates {
		t.Errorf("another digest: got exit code %d and %v, want 3 and trust_root_changed before a request", exitCode(err), err)
	}
}

// TestOnlyAProofIsReadAsTheInclusionProof answers like a log that lags or is
// busy, and with documents that are no proof. No file is written.
func TestOnlyAProofIsReadAsTheInclusionProof(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		code   int
		log    string
	}{
		"a log that lags":       {http.StatusNotFound, `{"code": "not_found", "message": "The log does not have the receipt."}`, 0, "the log does not have the receipt yet"},
		"a log that is busy":    {http.StatusServiceUnavailable, `{"code": "unavailable", "message": "Later."}`, 0, "unavailable: Later."},
		"another success":       {http.StatusAccepted, `{"receiptId": 1}`, 0, "http_202"},
		"a cached page":         {http.StatusNonAuthoritativeInfo, `<p>hello`, 0, "http_203"},
		"a document without it": {http.StatusOK, `{"receiptId": 1}`, 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := startService(t, verify.Succeeded)
			service.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/v1/verification/log/inclusion" {
					return false
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
				return true
			}
			s := newSubmitter(t, service)
			s.pin(t, service.trustRoot())
			s.AllowDemo = true
			err := s.run(t.Context())
			if exitCode(err) != c.code || c.code != 0 && !strings.HasPrefix(err.Error(), "malformed_proof: ") || !strings.Contains(s.log.String(), c.log) {
				t.Errorf("got exit code %d, %v and the log %s, want %d and %q", exitCode(err), err, s.log.String(), c.code, c.log)
			}
			if _, err := os.Stat(filepath.Join(s.Output, "erc721_keyed.inclusion.json")); err == nil {
				t.Error("got a file with a proof, want none")
			}
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("got a request to another server, want none: it would have the API key and the source")
	}))
	t.Cleanup(elsewhere.Close)
	service := startService(t)
	service.answer = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		return true
	}
	if err := newSubmitter(t, service).run(t.Context()); exitCode(err) != 4 || !strings.HasPrefix(err.Error(), "http_307: ") {
		t.Errorf("got exit code %d and %v, want 4 and http_307", exitCode(err), err)
	}
}

func TestURLsWithoutEncryptionAreReportedUnlessLocal(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://explorer.example": false, "http://localhost:8080": false, "http://127.0.0.1:8080": false, "http://[::1]:8080": false,
		"http://explorer.example": true, "http://10.0.0.1": true,
	} {
		if got := exposed(address); got != want {
			t.Errorf("exposed(%q): got %t, want %t", address, got, want)
		}
	}
}
