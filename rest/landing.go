package rest

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"

	"github.com/munnerz/goautoneg"

	"astrolabe/domain"
	"astrolabe/rest/frame"
)

//go:embed landing.html
var landingSource string

var landingPage = template.Must(template.New("landing").Parse(landingSource))

const htmlMedia = "text/html"

// landing serves a page with links for people, whose browsers ask for HTML, and
// the API catalog for everyone else. The page is rendered once.
func (s *server) landing() http.HandlerFunc {
	var page bytes.Buffer
	if err := landingPage.Execute(&page, struct {
		Version string
		Chains  []domain.Chain
	}{s.Version, s.Chains}); err != nil {
		panic(err) // the template is embedded
	}
	catalog := catalogBody()
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Add("Vary", "Accept")
		header.Set("Link", catalogLink)
		header.Set("Cache-Control", frame.CacheControl("max-age=60"))
		if prefersHTML(r) {
			header.Set("Content-Security-Policy", pagePolicy)
			frame.Write(w, r, http.StatusOK, htmlMedia+"; charset=utf-8", page.Bytes())
			return
		}
		frame.Write(w, r, http.StatusOK, linksetMedia, catalog)
	}
}

// prefersHTML reports whether the client ranks HTML above JSON. A client that
// names neither, as curl does, gets JSON.
func prefersHTML(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return goautoneg.Negotiate(accept, []string{linksetMedia, frame.JSONMedia, htmlMedia}) == htmlMedia
}
