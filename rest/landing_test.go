package rest

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestPeopleGetALandingPageAndProgramsTheCatalog(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	catalog := s.get("/.well-known/api-catalog").body
	for accept, media := range map[string]string{
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8": "text/html; charset=utf-8", // a browser
		"text/html":                        "text/html; charset=utf-8",
		"application/json;q=0.5,text/html": "text/html; charset=utf-8",
		"application/json,text/html;q=0.5": linksetMedia,
		"application/linkset+json":         linksetMedia,
		"application/json":                 linksetMedia,
		"application/xml":                  linksetMedia,
		"*/*":                              linksetMedia, // curl
		"":                                 linksetMedia,
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			a := s.ask(method, "/", "Accept", accept)
			if got := a.Header.Get("Content-Type"); a.StatusCode != http.StatusOK || got != media {
				t.Errorf("%s with Accept %q: got %s and %s, want 200 and %s", method, accept, a.Status, got, media)
			}
			if !slices.Contains(a.Header.Values("Vary"), "Accept") {
				t.Errorf("%s with Accept %q: got Vary %q, want Accept in it", method, accept, a.Header.Values("Vary"))
			}
			if method == http.MethodGet && media == linksetMedia && a.body != catalog {
				t.Errorf("Accept %q: got %s, want the catalog %s", accept, a.body, catalog)
			}
		}
	}
}

func TestLinksOfTheLandingPageResolve(t *testing.T) {
	t.Parallel()
	s := newService(t, func(o *Options) {
		o.Version = "v1 <&>"
		for _, path := range []string{"/docs", "/graphiql", "/schema.graphql"} {
			o.Mounts = append(o.Mounts, Mount{Pattern: path, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})})
		}
	})
	page := s.ask(http.MethodGet, "/", "Accept", htmlMedia)
	if got := page.Header.Get("Content-Security-Policy"); got != pagePolicy {
		t.Errorf("got the policy %q, want %q", got, pagePolicy)
	}
	for _, want := range []string{"<code>SN_MAIN</code>", "Astrolabe v1 &lt;&amp;&gt;"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("got\n%s\nwant %q in it", page.body, want)
		}
	}
	links := regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(page.body, -1)
	if len(links) < 8 {
		t.Fatalf("got %d links, want at least 8", len(links))
	}
	for _, link := range links {
		if got := s.get(link[1]); got.StatusCode != http.StatusOK {
			t.Errorf("%s: got %s, want 200", link[1], got.Status)
		}
	}
}
