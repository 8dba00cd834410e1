package rest

import (
	"bufio"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/domain/account"
	"astrolabe/httpserver"
)

// served is the handler of a service behind the program's own server.
func (s *service) served(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httpserver.New(s.handler, slog.New(slog.DiscardHandler))
	limited := httpserver.Limit(listener, httpserver.Limits{Connections: 4096, Reserve: 64})
	go func() { _ = server.Serve(limited) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

// TestFloodsOfConnectionsLeaveTheServiceResponsive attacks with clients that do
// not read, that send headers without end, and that send HEAD requests as fast
// as they can. A caller with a key is answered until the end of the attack.
func TestFloodsOfConnectionsLeaveTheServiceResponsive(t *testing.T) { //nolint:tparallel // the attackers of each attack share the machine with the server
	t.Parallel()
	attackers, requests := 50, 40
	if soak {
		attackers, requests = 1000, 2000
	}
	for name, attack := range map[string]func(*testing.T, *bufio.ReadWriter, string){
		"slow readers": func(_ *testing.T, conn *bufio.ReadWriter, _ string) {
			for range requests {
				_, _ = conn.WriteString("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
			}
			_ = conn.Flush() // and nothing is read
		},
		"header floods": func(t *testing.T, conn *bufio.ReadWriter, _ string) {
			_, _ = conn.WriteString("GET /v1/SN_MAIN/status HTTP/1.1\r\nHost: x\r\n")
			for i := range 100 * requests {
				if _, err := fmt.Fprintf(conn, "X-%d: %s\r\n", i, strings.Repeat("x", 100)); err != nil {
					return // the server has hung up
				}
			}
			_ = conn.Flush()
			if answer, err := http.ReadResponse(conn.Reader, nil); err == nil && answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
				t.Errorf("got %s, want %d", answer.Status, http.StatusRequestHeaderFieldsTooLarge)
			}
		},
		"HEAD floods": func(t *testing.T, conn *bufio.ReadWriter, key string) {
			for range requests {
				_, _ = fmt.Fprintf(conn, "HEAD /v1/SN_MAIN/status HTTP/1.1\r\nHost: x\r\nX-Service-Api-Key: %s\r\n\r\n", key)
			}
			_ = conn.Flush()
			for range requests {
				answer, err := http.ReadResponse(conn.Reader, &http.Request{Method: http.MethodHead})
				if err != nil {
					return
				}
				if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusTooManyRequests {
					t.Errorf("got %s, want 200 or 429", answer.Status)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, nil)
			address := s.served(t)
			limited := s.access.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{account.Light: 10}})
			var attacking sync.WaitGroup
			for range attackers {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = conn.Close() })
				_ = conn.SetDeadline(time.Now().Add(time.Minute))
				attacking.Go(func() { attack(t, bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn)), limited) })
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				attacking.Wait()
			}()
			for asked := 0; ; asked++ {
				for _, path := range []string{"/healthz", "/v1/SN_MAIN/status"} {
					s.answers(t, "http://"+address+path)
				}
				select {
				case <-ended:
					t.Logf("answered %d times during the attack", asked)
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
}

// answers requires that a caller with a key is answered.
func (s *service) answers(t *testing.T, url string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Service-Api-Key", s.access.Key)
	answer, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("%s during the attack: got %s, want 200", url, answer.Status)
	}
}
