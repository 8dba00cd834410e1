package rest

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"

	"astrolabe/domain"
	"astrolabe/rest/frame"
)

//go:embed errorpage.html
var errorPageSource string

var errorPage = template.Must(template.New("error").Parse(errorPageSource))

// pagePolicy allows inline styles only.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

type errorPageData struct {
	Title   string
	Entries []errorEntry
}

type errorEntry struct {
	Code, Slug, Meaning, Remedy string
	Status                      int
}

// errorPages serves the catalogue at /docs/errors, a page for each code, and one
// for invalid cursors, which have a page but no code.
func (s *server) errorPages() {
	index := errorPageData{Title: "Errors"}
	add := func(slug, title string, entry errorEntry) {
		entry.Slug = slug
		index.Entries = append(index.Entries, entry)
		s.errorPage("/docs/"+slug, errorPageData{Title: title, Entries: []errorEntry{entry}})
	}
	for _, e := range domain.Catalogue {
		add(e.Code.DocSlug(), string(e.Code), errorEntry{
			Code: string(e.Code), Meaning: e.Meaning, Remedy: e.Remedy, Status: frame.Status(e.Code),
		})
	}
	add("errors/invalid-cursor", "invalid_cursor", errorEntry{
		Code: string(domain.CodeInvalidRequest), Status: http.StatusBadRequest,
		Meaning: "The cursor was modified, has expired, or was issued for another list or other filters.",
		Remedy:  "Restart the list without a cursor. Pass cursors back unchanged and URL-encoded.",
	})
	s.errorPage("/docs/errors", index)
}

// errorPage registers one page, rendered once.
func (s *server) errorPage(path string, data errorPageData) {
	var html bytes.Buffer
	if err := errorPage.Execute(&html, data); err != nil {
		panic(err) // the template is embedded
	}
	s.get(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy)
		w.Header().Set("Cache-Control", frame.CacheControl("max-age=60"))
		frame.Write(w, r, http.StatusOK, "text/html; charset=utf-8", html.Bytes())
	})
}
