package rest

import (
	"net/http"
	"testing"
	"time"

	"astrolabe/domain"
)

func TestSecurityContactsArePublished(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	contacts := []string{"mailto:security@explorer.example", "https://explorer.example/security"}
	s := newService(t, func(o *Options) {
		o.Mounts = []Mount{{Pattern: SecurityTextPath, Handler: SecurityText(contacts, "https://explorer.example", now), Page: true}}
	})
	const want = "Contact: mailto:security@explorer.example\nContact: https://explorer.example/security\n" +
		"Canonical: https://explorer.example/.well-known/security.txt\nExpires: 2026-08-28T00:00:00Z\n"
	got := s.askWith(http.MethodGet, SecurityTextPath)
	if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "text/plain; charset=utf-8" || got.body != want {
		t.Errorf("got status %d, %s and %q; want 200, plain text and %q", got.StatusCode, got.Header.Get("Content-Type"), got.body, want)
	}
	requireFailure(t, newService(t, nil).askWith(http.MethodGet, SecurityTextPath), http.StatusNotFound, domain.CodeUnsupportedRoute)
}

func TestSecurityContactIsAURI(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"mailto:security@explorer.example": true, "https://explorer.example/security": true, "tel:+1-201-555-0123": true,
		"security@explorer.example": false, "http://explorer.example": false, "https://": false, "mailto:": false, "": false,
		"mailto:a@b.example\nPolicy: https://evil.example": false,
	} {
		if got := IsContact(text); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}

func TestBrowsersAreToldToUseTLSBehindAnEncryptedPublicURL(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{
		"https://explorer.example": "max-age=31536000", "http://localhost:8080": "", "": "",
	} {
		s := newService(t, func(o *Options) {
			gate := *o.Gate
			gate.Public = public
			o.Gate = &gate
		})
		for _, path := range []string{"/v1/meta/capabilities", "/nowhere", "/healthz"} {
			if got := s.askWith(http.MethodGet, path).Header.Get("Strict-Transport-Security"); got != want {
				t.Errorf("%s at %q: got %q, want %q", path, public, got, want)
			}
		}
	}
}
