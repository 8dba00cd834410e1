package rest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/prove"
	"astrolabe/repo/repotest"
	sim "astrolabe/sim/prover"
)

var regexpProofID = regexp.MustCompile(`^prv_[a-z0-9]{24,40}$`)

func TestSubmissionIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	r := newRelayed(t, nil)
	held := make(chan struct{})
	r.sim.Script(sim.Succeed().After(held), sim.Succeed().After(held))
	first := r.submit(proveKey("one"), submission("0x1"))
	job := proofOf(t, first)
	if first.StatusCode != http.StatusAccepted || job.Status != prove.Queued || job.Terminal || job.AttemptCount != 0 || job.QueuePosition == nil || *job.QueuePosition != 1 ||
		job.PollAfterSeconds != 5 || !regexpProofID.MatchString(job.JobID) || job.CompletedAt != nil || job.Error != nil {
		t.Errorf("got %d %s, want 202 and a queued job", first.StatusCode, first.body)
	}
	for _, name := range []string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Policy", "Content-Encoding"} {
		if got := first.Header.Get(name); got != "" {
			t.Errorf("got %s %q, want none", name, got)
		}
	}
	if class, cache := first.Header.Get("X-Service-Rpc-Class"), first.Header.Get("Cache-Control"); class != "rpc_prove" || cache != "private, no-store" {
		t.Errorf("got the class %q and %q, want rpc_prove and private, no-store", class, cache)
	}
	if err := r.sim.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	reordered := strings.Replace(submission("0x1"), `"block_id":{"block_number":7},`, "", 1)
	reordered = strings.TrimSuffix(reordered, "}") + `,"block_id":{"block_number":7.0}}`
	again := r.submit(proveKey("one"), reordered)
	if same := proofOf(t, again); again.StatusCode != http.StatusOK || same.JobID != job.JobID || same.Status != prove.Dispatched || same.AttemptCount != 1 || same.QueuePosition != nil {
		t.Errorf("got %d %s, want 200 and the same job", again.StatusCode, again.body)
	}
	requireFailure(t, r.submit(proveKey("one"), submission("0x2")), 409, domain.CodeIdempotencyKeyReused)
	r.accepted("two", submission("0x1"))
	close(held)
}

func TestSubmissionIsRefusedWithItsCode(t *testing.T) {
	t.Parallel()
	r := newRelayed(t, nil)
	own := []string{"X-Service-Api-Key", r.access.Key}
	post := func(body string, header ...string) answer {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+proveRoute, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return r.send(request, slices.Concat(own, header)...)
	}
	media := []string{"Content-Type", "application/json"}
	requireFailure(t, post(submission("0x1"), media...), 400, domain.CodeIdempotencyKeyRequired)
	for _, bad := range []string{"", "short", strings.Repeat("a", 129), strings.Repeat("a b", 8), strings.Repeat(`"`, 20), strings.Repeat("é", 20)} {
		requireFailure(t, r.submit(bad, submission("0x1")), 400, domain.CodeInvalidIdempotencyKey)
	}
	requireFailure(t, post(submission("0x1"), append(media, "Idempotency-Key", proveKey("a"), "Idempotency-Key", proveKey("b"))...), 400, domain.CodeInvalidIdempotencyKey)
	requireFailure(t, post(submission("0x1"), "Content-Type", "text/plain", "Idempotency-Key", proveKey("a")), 415, domain.CodeUnsupportedMediaType)
	requireFailure(t, r.submit(proveKey("a"), `{"block_id":{"block_number":7},"transaction":{"type":"DECLARE"}}`), 400, domain.CodeInvalidRequest)
	requireFailure(t, r.submit(proveKey("a"), `{"block_id":{"block_number":7},"transaction":{"type":"INVOKE","a":1,"a":2}}`), 400, domain.CodeInvalidRequest)
	requireFailure(t, r.submit(proveKey("a"), submission(strings.Repeat("a", prove.MaxBody))), 413, domain.CodePayloadTooLarge)
	if all, _ := r.sim.Received(nil); all != 0 {
		t.Errorf("got %d requests at the prover, want none", all)
	}
}

func TestSubmissionsHaveBudgetsInsteadOfARateLimit(t *testing.T) {
	t.Parallel()
	r := newRelayed(t, func(o *prove.Options) { o.Queue, o.Concurrent = 2, 1 })
	held := make(chan struct{})
	r.sim.Script(sim.Succeed().After(held))
	narrow := r.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Prove}, Budgets: account.Budgets{account.ProveDaily: 1, account.Heavy: 0}})
	wide := r.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Prove}, Budgets: account.Budgets{account.ProveConcurrent: 9}})
	with := func(key, name string) answer {
		t.Helper()
		return r.submit(proveKey(name), submission("0x1"), "X-Service-Api-Key", key)
	}
	if a := with(narrow, "one"); a.StatusCode != http.StatusAccepted {
		t.Fatalf("got %d %s, want 202 whatever the rate limit", a.StatusCode, a.body)
	}
	if err := r.sim.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	refused := func(a answer, status int, code domain.Code) {
		t.Helper()
		requireFailure(t, a, status, code)
		if a.Header.Get("Retry-After") == "" || a.Header.Get("X-Ratelimit-Policy") != "" {
			t.Errorf("%s: got the headers %v, want Retry-After and no rate limit", code, a.Header)
		}
	}
	refused(with(narrow, "two"), 429, domain.CodeProverDailyBudget)
	if a := with(narrow, "one"); a.StatusCode != http.StatusOK {
		t.Errorf("got %d %s, want the replay answered", a.StatusCode, a.body)
	}
	for _, name := range []string{"three", "four"} {
		if a := with(wide, name); a.StatusCode != http.StatusAccepted {
			t.Fatalf("got %d %s, want 202", a.StatusCode, a.body)
		}
	}
	refused(with(wide, "five"), 503, domain.CodeProverQueueFull)
	single := r.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Prove}, Budgets: account.Budgets{account.ProveConcurrent: 0}})
	refused(with(single, "six"), 429, domain.CodeProverKeyConcurrency)
	close(held)
	r.stop()
	refused(with(wide, "seven"), 503, domain.CodeProverUnavailable)
}

// TestEveryStatusOfAProofJobHasItsFields makes the prover answer in every way.
func TestEveryStatusOfAProofJobHasItsFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply        sim.Reply
		status       prove.Status
		code         any
		source       prove.Source
		message      string
		data         string
		resultOfOnce bool
	}{
		"proof":          {reply: sim.Succeed(), status: prove.Succeeded, resultOfOnce: true},
		"attested proof": {reply: sim.Attest(), status: prove.Succeeded, resultOfOnce: true},
		"24":             {sim.Replies["24"], prove.Failed, 24.0, prove.FromProver, `"Block not found"`, "", false},
		"55":             {sim.Replies["55"], prove.Failed, 55.0, prove.FromProver, `"Account validation failed"`, `"Account: invalid signature."`, false},
		"reverted":       {sim.Replies["reverted"], prove.Failed, -32603.0, prove.FromProver, `"Internal error"`, `"` + sim.RevertPrefix + `0x1), revert reason: SCREENING_REQUIRED"`, false},
		"blocked":        {sim.Replies["blocked"], prove.Failed, 10000.0, prove.FromProver, `"Transaction rejected"`, `"address_blocked"`, false},
		"busy":           {sim.Replies["busy"], prove.Unavailable, "prover_unavailable", prove.FromRelay, "", "", false},
		"internal":       {sim.Replies["internal"], prove.Unavailable, "prover_unavailable", prove.FromRelay, "", "", false},
		"screening":      {sim.Replies["screening_unavailable"], prove.Unavailable, "prover_unavailable", prove.FromRelay, "", "", false},
		"cut":            {sim.CutRead(), prove.UnknownDelivery, "prover_delivery_unknown", prove.FromRelay, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRelayed(t, nil)
			r.sim.Script(c.reply)
			job := r.accepted("one", submission("0x1"))
			r.ends(job.JobID)
			for poll := range 2 {
				got := r.polled(job.JobID)
				if got.Status != c.status || !got.Terminal || got.AttemptCount != 1 || got.CompletedAt == nil || got.QueuePosition != nil {
					t.Errorf("got %+v, want the terminal status %s", got, c.status)
				}
				first := poll == 0
				if held, gone := got.Result != nil, got.ResultUnavailableReason != nil; held != (c.resultOfOnce && first) || gone != (c.resultOfOnce && !first) {
					t.Errorf("poll %d: got a result %t and a reason %t, want the result once and then its reason", poll, held, gone)
				}
				if c.code == nil {
					continue
				}
				if got.Error == nil || got.Error.Code != c.code || got.Error.Source != c.source {
					t.Fatalf("got the error %+v, want %v of the %s", got.Error, c.code, c.source)
				}
				message, data := c.message, c.data
				if !first {
					message, data = "", ""
				}
				if string(got.Error.Message) != message || string(got.Error.Data) != data {
					t.Errorf("poll %d: got the message %s and the data %s, want %s and %s", poll, got.Error.Message, got.Error.Data, message, data)
				}
			}
		})
	}
}

func TestOnlyGETTakesAResult(t *testing.T) {
	t.Parallel()
	r := newRelayed(t, nil)
	job := r.accepted("one", submission("0x1"))
	r.ends(job.JobID)
	path := proveRoute + "/" + job.JobID
	for range 3 {
		head := r.ask(http.MethodHead, path, "Accept-Encoding", "gzip")
		if head.StatusCode != http.StatusOK || head.body != "" || head.Header.Get("Content-Length") != "" || head.Header.Get("X-Ratelimit-Policy") != "light;w=60" {
			t.Errorf("HEAD: got %d %v %q, want 200 of class light without a body and its length", head.StatusCode, head.Header, head.body)
		}
		replay := r.submit(proveKey("one"), submission("0x1"))
		if got := proofOf(t, replay); got.Status != prove.Succeeded || got.Result != nil || got.ResultUnavailableReason != nil {
			t.Errorf("replay: got %s, want it succeeded without a result", replay.body)
		}
	}
	get := r.ask(http.MethodGet, path, "Accept-Encoding", "gzip")
	var result struct {
		Proof      string
		ProofFacts []string `json:"proof_facts"`
	}
	if err := json.Unmarshal(proofOf(t, get).Result, &result); err != nil || result.Proof == "" || len(result.ProofFacts) == 0 {
		t.Errorf("got %v and %d facts, want the proof", err, len(result.ProofFacts))
	}
	if encoding := get.Header.Get("Content-Encoding"); encoding != "" {
		t.Errorf("got the encoding %s, want none", encoding)
	}
	if head := r.ask(http.MethodHead, path); head.Header.Get("Content-Length") == "" {
		t.Error("HEAD of a job without a result: got no length, want that of GET")
	}
	if gone := r.polled(job.JobID); gone.Result != nil || gone.ResultUnavailableReason == nil || *gone.ResultUnavailableReason != "delivered_or_expired" {
		t.Errorf("got %+v, want the result delivered", gone)
	}
}

func TestConcurrentSubmissionsOverHTTPMakeOneJob(t *testing.T) {
	t.Parallel()
	r := newRelayed(t, nil)
	var group sync.WaitGroup
	var accepted, other atomic.Int64
	for range 50 {
		group.Go(func() {
			switch a := r.submit(proveKey("one"), submission("0x1")); a.StatusCode {
			case http.StatusAccepted:
				accepted.Add(1)
			case http.StatusOK:
			default:
				other.Add(1)
			}
		})
	}
	group.Wait()
	if accepted.Load() != 1 || other.Load() != 0 {
		t.Errorf("got %d times 202 and %d failures, want one and none", accepted.Load(), other.Load())
	}
}

func TestConcurrentPollsOverHTTPDeliverOnce(t *testing.T) {
	t.Parallel()
	r := newRelayed(t, nil)
	job := r.accepted("one", submission("0x1"))
	r.ends(job.JobID)
	var group sync.WaitGroup
	var results atomic.Int64
	for range 50 {
		group.Go(func() {
			if r.polled(job.JobID).Result != nil {
				results.Add(1)
			}
		})
	}
	group.Wait()
	if results.Load() != 1 {
		t.Errorf("got the result %d times, want once", results.Load())
	}
}

func TestProofJobOfAnotherWorkspaceLooksAbsent(t *testing.T) {
	t.Parallel()
	r := newRelayed(t, nil)
	job := r.accepted("one", submission("0x1"))
	r.ends(job.JobID)
	view := func(id, method string) string {
		a := r.askWith(method, proveRoute+"/"+id, "X-Service-Api-Key", r.other, "X-Request-Id", "same")
		a.Header.Del("Date")
		a.Header.Del("X-Ratelimit-Remaining")
		return fmt.Sprint(a.StatusCode, a.Header, a.body)
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		want := view(job.JobID, method)
		if !strings.HasPrefix(want, "404") {
			t.Errorf("%s: got %s, want 404", method, want)
		}
		for _, id := range []string{"prv_abcdefghijklmnopqrstuvwxyz", "prv_", "0", "a%2Fb", "%00", strings.ToUpper(job.JobID)} {
			if diff := cmp.Diff(want, view(id, method)); diff != "" {
				t.Errorf("%s %s (-foreign +absent):\n%s", method, id, diff)
			}
		}
	}
	if got := r.polled(job.JobID); got.Result == nil {
		t.Error("got no result for the owner, want it untouched")
	}
}

func TestSubmissionsAreForMainnetAndForTheirScope(t *testing.T) {
	t.Parallel()
	r := newRelayed(t, nil)
	for _, path := range []string{"/v1/SN_SEPOLIA/prove", "/v1/SN_SEPOLIA/prove/prv_abcdefghijklmnopqrstuvwxyz", "/api/v1/SN_SEPOLIA/prove"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			requireFailure(t, r.ask(method, path), 404, domain.CodeUnsupportedRoute)
		}
	}
	for permission, key := range r.access.Keys {
		a := r.submit(proveKey("one"), submission("0x1"), "X-Service-Api-Key", key)
		if permission == account.Prove {
			if a.StatusCode != http.StatusAccepted {
				t.Errorf("%s: got %d %s, want 202", permission, a.StatusCode, a.body)
			}
			continue
		}
		requireFailure(t, a, 403, domain.CodeForbidden)
		if got := a.Header.Get("WWW-Authenticate"); !strings.HasSuffix(got, `scope="prove"`) {
			t.Errorf("%s: got the challenge %q, want one that names prove", permission, got)
		}
	}
}

// TestWithoutAProverItsRoutesDoNotExist compares whole answers with those of a
// route that never existed, for every caller and method.
func TestWithoutAProverItsRoutesDoNotExist(t *testing.T) {
	t.Parallel()
	s := newServiceOver(t, repotest.Open(t), time.Now, nil)
	services := *s.services
	services.Proofs = nil
	options := s.options
	options.Services = &services
	server := httptest.NewServer(Handler(options))
	t.Cleanup(server.Close)
	s.url = server.URL
	view := func(method, path string, header []string) string {
		request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(submission("0x1")))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			request.Header.Set(header[i], header[i+1])
		}
		request.Header.Set("X-Request-Id", "same")
		response, err := s.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		response.Header.Del("Date")
		return fmt.Sprint(response.StatusCode, response.Header, string(body))
	}
	callers := s.credentials()
	callers["prover"] = credential{headers: []string{"X-Service-Api-Key", s.access.Keys[account.Prove], "Idempotency-Key", proveKey("one"), "Content-Type", "application/json"}}
	for name, caller := range callers {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			for prover, unknown := range map[string]string{
				proveRoute: "/v1/SN_MAIN/proof", proveRoute + "/prv_abcdefghijklmnopqrstuvwxyz": "/v1/SN_MAIN/proof/prv_abcdefghijklmnopqrstuvwxyz",
				"/api" + proveRoute: "/api/v1/SN_MAIN/proof",
			} {
				if diff := cmp.Diff(view(method, unknown, caller.headers), view(method, prover, caller.headers)); diff != "" {
					t.Errorf("%s %s with %s (-unknown +prover):\n%s", method, prover, name, diff)
				}
			}
		}
	}
	for _, document := range []string{"/openapi.json", "/openapi.yaml", "/v1/meta/capabilities", "/v1/meta/evidence"} {
		if body := s.get(document).body; strings.Contains(body, "SN_MAIN/prove") || strings.Contains(body, "submitProof") || strings.Contains(body, "ProofJob") || !strings.Contains(body, "getStatus") {
			t.Errorf("%s: got the prover in it, want everything but it", document)
		}
	}
}
