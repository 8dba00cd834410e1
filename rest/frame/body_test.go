package frame

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
)

func TestOptionalBodyHasNoOtherContentTypeEvenIfItIsEmpty(t *testing.T) {
	t.Parallel()
	d := Dispatcher{Logger: slog.New(slog.DiscardHandler)}
	handler := d.Handler(Operation{
		MaxBody: 64, Timeout: time.Minute, Success: http.StatusOK, Class: Batch,
		Handle: func(_ context.Context, c *Call) (any, error) {
			var body struct {
				Name *string `json:"name"`
			}
			return body, c.DecodeOptionalJSON(&body)
		},
	})
	for _, c := range []struct {
		media, encoding, body string
		status                int
	}{
		{"", "", "", 200},
		{"application/json", "", "", 200},
		{"application/json", "", "{}", 200},
		{"", "", "{}", 415},
		{"text/plain", "", "", 415},
		{"text/plain", "", "{}", 415},
		{"nothing at all", "", "", 415},
		{"application/json", "gzip", "", 415},
	} {
		request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
		for name, value := range map[string]string{"Content-Type": c.media, "Content-Encoding": c.encoding} {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		recorder := httptest.NewRecorder()
		if handler(recorder, request); recorder.Code != c.status {
			t.Errorf("%q as %q with the encoding %q: got %d %s, want %d", c.body, c.media, c.encoding, recorder.Code, recorder.Body, c.status)
		}
	}
}

// TestBodyIsDecodedStrictlyAndWithinItsLimit drives an operation of the test's
// own through the real dispatch.
func TestBodyIsDecodedStrictlyAndWithinItsLimit(t *testing.T) {
	t.Parallel()
	var got struct {
		Hashes []string `json:"hashes"`
	}
	d := Dispatcher{Logger: slog.New(slog.DiscardHandler)}
	handler := d.Handler(Operation{
		MaxBody: 64, Timeout: time.Minute, Success: http.StatusOK, Class: Batch,
		Handle: func(_ context.Context, c *Call) (any, error) { return got, c.DecodeJSON(&got) },
	})
	for _, c := range []struct {
		media, body, says string
		status            int
	}{
		{"application/json", `{"hashes":["0x1"]}`, "0x1", 200},
		{"application/json; charset=utf-8", `{"hashes":[]}`, "", 200},
		{"application/json", `{"txHashes":["0x1"]}`, `Unknown body field "txHashes". Supported fields: hashes.`, 400},
		{"application/json", `{"Hashes":["0x1"]}`, `Hashes`, 400},
		{"application/json", `{"hashes":[],"hashes":[]}`, `hashes`, 400},
		{"application/json", `{}`, `hashes`, 400},
		{"application/json", `{"hashes":[]} {}`, "", 400},
		{"application/json", `{"hashes":[`, "", 400},
		{"application/json", ``, "", 400},
		{"application/json", `{"hashes":["` + strings.Repeat("x", 49) + `"]}`, "xxx", 200}, // 64 bytes
		{"application/json", `{"hashes":["` + strings.Repeat("x", 50) + `"]}`, "", 413},
		{"text/plain", `{"hashes":[]}`, "application/json", 415},
		{"", `{"hashes":[]}`, "", 415},
	} {
		request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
		request.Header.Set("Content-Type", c.media)
		recorder := httptest.NewRecorder()
		handler(recorder, request)
		if recorder.Code != c.status || !strings.Contains(recorder.Body.String(), c.says) && !strings.Contains(strings.ReplaceAll(recorder.Body.String(), `\"`, `"`), c.says) {
			t.Errorf("%q as %q: got status %d with %s, want %d with %s", c.body, c.media, recorder.Code, recorder.Body, c.status, c.says)
		}
	}
	encoded := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"hashes":[]}`))
	encoded.Header.Set("Content-Type", "application/json")
	encoded.Header.Set("Content-Encoding", "gzip")
	recorder := httptest.NewRecorder()
	handler(recorder, encoded)
	if recorder.Code != Status(domain.CodeUnsupportedMediaType) {
		t.Errorf("an encoded body: got %d, want %d", recorder.Code, Status(domain.CodeUnsupportedMediaType))
	}
}
