package main

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	"astrolabe/signin"
	"astrolabe/signin/idptest"
)

// TestServeSupportsSignIn drives the real program behind a proxy that
// terminates TLS, as a deployment has it.
func TestServeSupportsSignIn(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewUnstartedServer(nil)
	public := "https://" + proxy.Listener.Addr().String()
	idp := idptest.Start(t, public+signin.CallbackPath)
	certificate := filepath.Join(t.TempDir(), "idp.pem")
	if err := os.WriteFile(certificate, idp.Certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, []string{
		"SSL_CERT_FILE=" + certificate, "ASTROLABE_DATABASE_URL=" + pgtest.Database(t, repotest.Migrated),
		"ASTROLABE_PUBLIC_URL=" + public, "ASTROLABE_OIDC_ISSUER=" + idp.Issuer,
		"ASTROLABE_OIDC_CLIENT_ID=" + idptest.ClientID, "ASTROLABE_OIDC_CLIENT_SECRET=" + idptest.ClientSecret,
	}, append([]string{"serve", "--data", t.TempDir()}, anyPort...)...)
	inside, err := url.Parse(p.ready(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy.Config.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(inside) }}
	proxy.StartTLS()
	t.Cleanup(proxy.Close)

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Transport: idp.Transport, Jar: jar}
	for _, path := range []string{"/auth/login?return=/docs", "/v1/me/session"} {
		response, err := browser.Get(public + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: got %s with %s, want 200\n%s", path, response.Request.URL, response.Status, p.text())
		}
	}
}
