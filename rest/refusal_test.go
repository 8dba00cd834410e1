package rest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/httpserver"
)

// raw sends a request byte by byte as the test wrote it, through the listener of
// the program.
func (s *service) raw(requestLine string) answer {
	s.t.Helper()
	opened, err := new(net.ListenConfig).Listen(s.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	listener := httpserver.Limit(opened, httpserver.Limits{Connections: 10})
	listener.Refuse = Refusal
	server := httpserver.New(s.handler, slog.New(slog.DiscardHandler))
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer func() {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			s.t.Errorf("got %v from the server, want %v", err, http.ErrServerClosed)
		}
	}()
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, requestLine+"\r\nHost: test\r\nX-Service-Api-Key: "+s.access.Key+"\r\n\r\n"); err != nil {
		s.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	response.Request, err = http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://test/", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{response, string(body)}
}

func TestMalformedPathGetsTheEnvelopeAndARequestID(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for path, want := range map[string]struct {
		status int
		code   domain.Code
	}{
		"/v1/SN_MAIN/tx/%zz":            {http.StatusBadRequest, domain.CodeInvalidRequest},
		"/v1/SN_MAIN/tx/%":              {http.StatusBadRequest, domain.CodeInvalidRequest},
		"/v1/SN_MAIN/tx/a\x00b":         {http.StatusBadRequest, domain.CodeInvalidRequest},
		"/v1/SN_MAIN/tx/\x7f":           {http.StatusBadRequest, domain.CodeInvalidRequest},
		"/v1/SN_MAIN/tx/%00":            {http.StatusBadRequest, domain.CodeInvalidRequest},
		"/v1/SN_MAIN/tx/%ff":            {http.StatusBadRequest, domain.CodeInvalidRequest},
		"/v1/SN_MAIN/search?q=%00":      {http.StatusBadRequest, domain.CodeInvalidRequest},
		"/v1/SN_MAIN/search?q=%zz":      {http.StatusBadRequest, domain.CodeInvalidRequest},
		"//v1/SN_MAIN/status":           {http.StatusNotFound, domain.CodeUnsupportedRoute},
		"/v1//SN_MAIN/status":           {http.StatusNotFound, domain.CodeUnsupportedRoute},
		"/v1/SN_MAIN//status":           {http.StatusNotFound, domain.CodeUnsupportedRoute},
		"/v1/SN_MAIN/status/":           {http.StatusNotFound, domain.CodeUnsupportedRoute},
		"/v1/SN_MAIN/../SN_MAIN/status": {http.StatusNotFound, domain.CodeUnsupportedRoute},
	} {
		a := s.raw("GET " + path + " HTTP/1.1")
		requireFailure(t, a, want.status, want.code)
		if t.Failed() {
			t.Fatalf("%q: got %d %s, want %d %s in the envelope", path, a.StatusCode, a.body, want.status, want.code)
		}
	}
}

func TestUnreadableHeadersGetTheEnvelopeAndARequestID(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	requireFailure(t, s.raw("GET / HTTP/1.1\r\nBroken"), http.StatusBadRequest, domain.CodeInvalidRequest)
	for request, want := range map[string]struct {
		status int
		says   string
	}{
		"GET / HTTP/1.1\r\nLong: " + strings.Repeat("x", 70<<10): {http.StatusRequestHeaderFieldsTooLarge, "exceed the limit of 64 KiB"},
		"POST / HTTP/1.1\r\nTransfer-Encoding: gzip":             {http.StatusNotImplemented, "Transfer-Encoding"},
		"GET / HTTP/3.7": {http.StatusHTTPVersionNotSupported, "HTTP version"},
	} {
		if e := requireFailure(t, s.raw(request), want.status, domain.CodeInvalidRequest); !strings.Contains(e.Message, want.says) {
			t.Errorf("%.40q: got %q, want it to name %q", request, e.Message, want.says)
		}
	}
	if first, second := Refusal(http.StatusBadRequest), Refusal(http.StatusBadRequest); bytes.Equal(first, second) {
		t.Error("got the same request ID twice, want a new one each time")
	}
}
