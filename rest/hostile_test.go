package rest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/rest/contracttest"
	"astrolabe/telemetry"
)

// hostileHandler is the facade over heads that always answer.
func hostileHandler() http.Handler {
	return Handler(Options{
		Gate:   new(access.Gate),
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health),
		Chains: []domain.Chain{domain.Mainnet}, Services: explorer.New(explorer.Options{Stores: explorer.Stores{Heads: noHeads{}}}),
		Origins: []string{ours},
	})
}

// noHeads are the heads of chains that nobody has indexed anything of. No other
// store is needed: what needs a key never reaches one.
type noHeads struct{}

// Heads implements chain.Heads.
func (noHeads) Heads(context.Context) (map[domain.Chain]chain.Head, error) { return nil, nil }

// judge sends one request and says what is wrong with the answer.
func judge(handler http.Handler, request *http.Request) error {
	_, err := judgedAs(handler, request)
	return err
}

// judgedAs does the same and tells the answer's status.
func judgedAs(handler http.Handler, request *http.Request) (status int, err error) {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder.Code, wrong(request, recorder)
}

// wrong says what is wrong with an answer.
func wrong(request *http.Request, recorder *httptest.ResponseRecorder) error {
	switch status := recorder.Code; {
	case status == http.StatusServiceUnavailable && recorder.Header().Get("Retry-After") == "":
		return fmt.Errorf("503 without Retry-After")
	case status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable:
		return fmt.Errorf("%d %s", status, recorder.Body)
	case recorder.Header().Get("X-Request-Id") == "":
		return fmt.Errorf("%d without X-Request-Id", status)
	case status >= http.StatusBadRequest && request.Method != http.MethodHead && !strings.Contains(recorder.Body.String(), `"requestId"`):
		return fmt.Errorf("%d without the envelope: %s", status, recorder.Body)
	}
	if recorder.Header().Get("Content-Encoding") != "" {
		return nil // the same bytes are validated elsewhere, unpacked
	}
	_, err := contracttest.Breach(request.Context(), request, recorder.Result(), recorder.Body.Bytes())
	return err
}

// parse reads a request as the server would; what it cannot read never
// reaches a handler.
func parse(raw string) (*http.Request, bool) {
	request, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
	if err != nil {
		return nil, false
	}
	request.RemoteAddr = "192.0.2.1:1234"
	return request, true
}

func FuzzRequest(f *testing.F) {
	f.Add("GET /v1/SN_MAIN/status HTTP/1.1\r\nHost: x\r\n\r\n")
	f.Add("OPTIONS /v1/me/%2e%2e HTTP/1.1\r\nHost: x\r\nOrigin: null\r\nAccess-Control-Request-Method: \r\n\r\n")
	f.Add("HEAD //docs//errors?%%%=1&=2;3 HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ,,,::1\r\nAccept-Encoding: gzip;q=\r\n\r\n")
	handler := hostileHandler()
	f.Fuzz(func(t *testing.T, raw string) {
		if request, ok := parse(raw); ok {
			if err := judge(handler, request); err != nil {
				t.Errorf("%q: got %v, want a documented response", raw, err)
			}
		}
	})
}

// TestHostileRequestsAreNeverA500 sends random recombinations of hostile
// parts: 100,000 in a soak, fewer otherwise.
// It runs alone, because it also watches the heap.
func TestHostileRequestsAreNeverA500(t *testing.T) {
	count := 2_500
	if os.Getenv("ASTROLABE_SOAK") != "" {
		count = 100_000
	}
	handler, random := hostileHandler(), rand.New(rand.NewPCG(1, 2))
	var before, after runtime.MemStats
	sent := 0
	for i := range count {
		if i == count/10 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
		raw := hostileRequest(random)
		request, ok := parse(raw)
		if !ok {
			continue
		}
		sent++
		if err := judge(handler, request); err != nil {
			t.Fatalf("request %d, %q: got %v, want a documented response", i, raw, err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if sent < count/2 {
		t.Errorf("got %d parsed requests, want at least half of %d", sent, count)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("got a heap that grew by %d bytes over %d requests, want at most 16 MiB", grown, count)
	}
}

var hostileParts = struct{ methods, segments, queries, headers []string }{
	methods: []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "BREW", "get"},
	segments: []string{
		"v1", "api", "SN_MAIN", "SN_SEPOLIA", "sn_main", "status", "meta", "capabilities", "evidence", "openapi.json", "openapi.yaml",
		"docs", "errors", "not-found", "me", "graphiql", ".well-known", "api-catalog", "..", ".", "%2e%2e", "%2f", "%00", "%ff", "*", "{chain}",
		"0x0", strings.Repeat("a", 3000), "%F0%9F%92%A3", "healthz", "readyz", "", "a%20b", "<script>", ";", "|",
	},
	queries: []string{"", "?", "?a", "?a=1&a=2", "?limit=-1", "?%zz", "?=", "?cursor=AQEA", "?&&&", "?" + strings.Repeat("x=1&", 500), "?a=%00", "?a;b"},
	headers: []string{
		"Origin: https://elsewhere.example", "Origin: null", "Origin: " + ours, "Authorization: Bearer x", "Cookie: a=b", "X-Service-Internal-Key: x",
		"X-Request-Id: \x7f", "X-Request-Id: " + strings.Repeat("z", 200), "Access-Control-Request-Method: DELETE", "Access-Control-Request-Headers: authorization,,",
		"Accept-Encoding: gzip;q=nan", "Accept-Encoding: *;q=0, gzip", "X-Forwarded-For: 1.2.3.4, x, ::1", "Upgrade: websocket", "Connection: upgrade",
		"If-None-Match: *", "Range: bytes=0-0", "Content-Type: text/;;;", "Content-Length: 3", "Transfer-Encoding: chunked", "Expect: 100-continue", "Traceparent: 00-zz",
	},
}

func hostileRequest(random *rand.Rand) string {
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	var raw bytes.Buffer
	raw.WriteString(pick(hostileParts.methods) + " ")
	for range 1 + random.IntN(5) {
		raw.WriteString("/" + pick(hostileParts.segments))
	}
	raw.WriteString(pick(hostileParts.queries) + " HTTP/1.1\r\nHost: x\r\n")
	for range random.IntN(5) {
		raw.WriteString(pick(hostileParts.headers) + "\r\n")
	}
	raw.WriteString("\r\n{}\n")
	return raw.String()
}
