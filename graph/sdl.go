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

// SDL publishes schema.graphql byte for byte, with its descriptions and
// directives, for compilers and code generators. Where introspection is
// switched off it is not found.
func (h *Handler) SDL() http.Handler {
	text := exec.SDL()
	tag := fmt.Sprintf(`W/"sha256-%x"`, sha256.Sum256([]byte(text)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.NoIntrospection {
			http.NotFound(w, r)
			return
		}
		header := w.Header()
		header.Set("Content-Type", mediaSDL)
		header.Set("Cache-Control", "private, max-age=60")
		header.Set("ETag", tag)
		r.Header.Del("Range") // nobody wants a part of a schema
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	})
}
