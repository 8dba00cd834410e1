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
		t.Errorf("%d and %d bytes instead of %d", whole.Code, whole.Body.Len(), len(file))
	}
	if media := whole.Header().Get("Content-Type"); media != "application/graphql; charset=utf-8" {
		t.Errorf("media type %s", media)
	}
	if again := ask(http.MethodGet, whole.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("to who has it: %d with %d bytes", again.Code, again.Body.Len())
	}
	if other := ask(http.MethodGet, `"sha256-00"`); other.Code != http.StatusOK {
		t.Errorf("to who has another: %d", other.Code)
	}
	if head := ask(http.MethodHead, ""); head.Code != http.StatusOK || head.Body.Len() > 0 {
		t.Errorf("HEAD: %d with %d bytes", head.Code, head.Body.Len())
	}
}

func TestSchemaIsNotPublishedWithoutIntrospection(t *testing.T) {
	t.Parallel()
	g := serve(t, func(o *Options) { o.NoIntrospection = true })
	w := httptest.NewRecorder()
	g.SDL().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/schema.graphql", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("%d", w.Code)
	}
}
