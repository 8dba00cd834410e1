package graph

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

func TestPublishedSchemaIsTheSchemaFile(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	g := serve(t, nil)
	ask := func(method, known string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/schema.graphql", nil)
		r.Header.Set("If-None-Match", known)
		r.Header.Set("Range", "bytes=0-9")
		w := httptest.NewRecorder()
		g.SDL().ServeHTTP(w, r)
		return w
	}
	whole := ask(http.MethodGet, "")
	if whole.Code != http.StatusOK || whole.Body.String() != string(file) {
		t.Errorf("got status %d with %d bytes, want 200 with %d", whole.Code, whole.Body.Len(), len(file))
	}
	if media := whole.Header().Get("Content-Type"); media != "application/graphql; charset=utf-8" {
		t.Errorf("got media type %s, want application/graphql", media)
	}
	if again := ask(http.MethodGet, whole.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("with the current ETag: got status %d with %d bytes, want 304", again.Code, again.Body.Len())
	}
	if other := ask(http.MethodGet, `"sha256-00"`); other.Code != http.StatusOK {
		t.Errorf("with another ETag: got status %d, want 200", other.Code)
	}
	if head := ask(http.MethodHead, ""); head.Code != http.StatusOK || head.Body.Len() > 0 {
		t.Errorf("HEAD: got status %d with %d bytes, want 200 without a body", head.Code, head.Body.Len())
	}
}

func TestSchemaIsNotPublishedWithoutIntrospection(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.NoIntrospection = true })
	w := httptest.NewRecorder()
	g.SDL().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/schema.graphql", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("got status %d, want 404", w.Code)
	}
}
