package graph

import (
	"astrolabe/graph/exec"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const mediaSDL = "application/graphql; charset=utf-8"

// SDL serves schema.graphql, with its descriptions and directives, for compilers
// and code generators. If introspection is disabled, it returns 404.
func (h *Handler) SDL() http.Handler {
	text := exec.SDL()
	tag := fmt.Sprintf(`W/"sha256-%x"`, sha256.Sum256([]byte(text))) // weak, because it is served with and without gzip
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.NoIntrospection {
			http.NotFound(w, r)
			return
		}
		header := w.Header()
		header.Set("Content-Type", mediaSDL)
		header.Set("Cache-Control", "private, max-age=60")
		header.Set("ETag", tag)
		r.Header.Del("Range") // a part of the text is useless
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	})
}
