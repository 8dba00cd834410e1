package signin_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/domain/secret"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/rest"
	"astrolabe/rest/frame"
	"astrolabe/signin"
	"astrolabe/signin/idptest"
	"astrolabe/telemetry"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// service is the whole facade with its login routes, on real HTTPS, and the
// identity provider that it trusts.
type service struct {
	*testing.T
	url  string
	idp  *idptest.Provider
	db   *repo.DB
	gate *access.Gate
	log  *logBuffer
}

// newService starts both; change may set the login's options first.
func newService(t *testing.T, change func(*signin.Options)) *service {
	t.Helper()
	db := repotest.Open(t)
	ring, err := secret.Open(t.Context(), accounts.NewSecrets(db), secret.NewMaster())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	s := &service{T: t, url: "https://" + server.Listener.Addr().String(), db: db, log: new(logBuffer)}
	s.idp = idptest.Start(t, s.url+signin.CallbackPath)
	s.gate = &access.Gate{
		Keys: account.NewKeys(accounts.NewKeys(db), ring, time.Now), Sessions: account.NewSessions(accounts.NewSessions(db), ring, time.Now),
		FirstParty: account.NewFirstParty(ring, time.Now), Quotas: account.NewQuotas(accounts.NewQuotas(db), time.Now),
	}
	logger := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	options := signin.Options{
		PublicURL: s.url, Issuer: s.idp.Issuer, ClientID: idptest.ClientID, ClientSecret: idptest.ClientSecret,
		SessionLasts: 12 * time.Hour, FailureLimit: 1000, Gate: s.gate, Workspaces: account.NewWorkspaces(accounts.NewWorkspaces(db), time.Now),
		States: account.NewLoginStates(accounts.NewLogins(db), ring, time.Now), Now: time.Now, Logger: logger, Transport: s.idp.Transport,
		Fail: func(w http.ResponseWriter, r *http.Request, err error) { frame.Fail(w, r, logger, err) },
	}
	if change != nil {
		change(&options)
	}
	server.Config.Handler = rest.Handler(rest.Options{
		Logger: logger, Metrics: telemetry.NewMetrics(), Health: new(telemetry.Health), Version: "test",
		Chains: []domain.Chain{domain.Mainnet}, Services: explorer.New(explorer.Options{Stores: repositories.Explorer(db)}), Gate: s.gate,
		Mounts: mounts(signin.New(options)),
	})
	server.StartTLS()
	t.Cleanup(server.Close)
	return s
}

func mounts(party *signin.RelyingParty) []rest.Mount {
	return []rest.Mount{
		{Pattern: signin.LoginPath, Handler: http.HandlerFunc(party.Login)},
		{Pattern: signin.CallbackPath, Handler: http.HandlerFunc(party.Callback)},
		{Pattern: signin.LogoutPath, Handler: http.HandlerFunc(party.Logout)},
		{Pattern: "/docs", Page: true, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "welcome")
		})},
	}
}

// browser keeps cookies. It follows redirects unless stays was called.
type browser struct {
	*service
	client *http.Client
}

func (s *service) browser() *browser {
	s.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.Fatal(err)
	}
	return &browser{s, &http.Client{Transport: s.idp.Transport, Jar: jar}}
}

// stays makes the browser return redirects instead of following them.
func (b *browser) stays() *browser {
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// sends sends a request to a path of the service or to a full URL.
func (b *browser) sends(method, address string, header ...string) answer {
	b.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.url + address
	}
	request, err := http.NewRequestWithContext(b.Context(), method, address, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	response, err := b.client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	return answer{response, string(body)}
}

func (b *browser) opens(address string) answer {
	b.Helper()
	return b.sends(http.MethodGet, address)
}

// begins opens the login page, signs in at the provider and stops before the
// callback, whose URL it returns.
func (b *browser) begins() *url.URL {
	b.Helper()
	b.stays()
	atProvider := b.opens(signin.LoginPath).Header.Get("Location")
	back, err := url.Parse(b.opens(atProvider).Header.Get("Location"))
	if err != nil || back.Path != signin.CallbackPath || back.Query().Get("code") == "" {
		b.Fatalf("got the provider's redirect %v and %v, want %s with a code", back, err, signin.CallbackPath)
	}
	return back
}

// cookie returns the value of the session cookie, or "" when there is none.
func (b *browser) cookie() string {
	b.Helper()
	origin, err := url.Parse(b.url)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range b.client.Jar.Cookies(origin) {
		if c.Name == "__Host-"+access.SessionCookie {
			return c.Value
		}
	}
	return ""
}

// refuses expects a failure in the standard shape, and no session.
func (b *browser) refuses(a answer, status int, code domain.Code) {
	b.Helper()
	var fields map[string]string
	if err := json.Unmarshal([]byte(a.body), &fields); err != nil || len(fields) != 4 {
		b.Errorf("got status %d with %q and %v, want the standard error", a.StatusCode, a.body, err)
	}
	if a.StatusCode != status || fields["code"] != string(code) || fields["requestId"] != a.Header.Get("X-Request-Id") {
		b.Errorf("got %d %s, want %d %s", a.StatusCode, a.body, status, code)
	}
	if b.cookie() != "" {
		b.Error("got a session, want none")
	}
}

// logBuffer is a log that tests may read while it is written.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logBuffer) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// String returns the log so far.
func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
