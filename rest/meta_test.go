package rest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"astrolabe/domain"
	"astrolabe/rest/frame"
	"astrolabe/rest/openapi"
)

func TestCapabilitiesNameEveryOperation(t *testing.T) {
	t.Parallel()
	var got capabilitiesBody
	if err := json.Unmarshal([]byte(newService(t, nil).get("/v1/meta/capabilities").body), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != "test" || !slices.Equal(got.Chains, []domain.Chain{domain.Mainnet}) {
		t.Errorf("got version %s of %v, want test of %s", got.Version, got.Chains, domain.Mainnet)
	}
	var want []operationBody
	for _, op := range Table() {
		want = append(want, describe(op))
	}
	if !slices.Equal(got.Operations, want) {
		t.Errorf("got %+v, want %+v", got.Operations, want)
	}
}

// TestEvidenceNamesTestsThatExist keeps the evidence file honest.
func TestEvidenceNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	existing := map[string]bool{}
	here, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	nouns, err := filepath.Glob("*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(here, nouns...) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(source), -1) {
			existing[match[1]] = true
		}
	}
	var got struct {
		Operations []struct {
			OperationID string
			Tests       []string
		}
	}
	if err := json.Unmarshal([]byte(newService(t, nil).get("/v1/meta/evidence").body), &got); err != nil {
		t.Fatal(err)
	}
	for _, op := range got.Operations {
		if len(op.Tests) == 0 {
			t.Errorf("%s: got no tests, want some", op.OperationID)
		}
		for _, name := range op.Tests {
			if !existing[name] {
				t.Errorf("%s: got %s, want a test that exists", op.OperationID, name)
			}
		}
	}
}

func TestOpenAPIDocumentEqualsTheTable(t *testing.T) {
	t.Parallel()
	document := loadContract(t)
	documented := map[string]bool{}
	for path, item := range document.Paths.Map() {
		for method := range item.Operations() {
			documented[method+" "+path] = true
		}
	}
	for _, op := range Table() {
		key := op.Method + " " + op.Path
		if !documented[key] {
			t.Errorf("%s: got it in the table only, want it in the document", key)
			continue
		}
		delete(documented, key)
		written := document.Paths.Find(op.Path).GetOperation(op.Method)
		extensions := map[string]any{
			"x-service-certification": string(op.Cert), "x-service-tier": string(op.Tier()),
			"x-service-audience": string(op.Audience), "x-service-route-class": string(op.Class),
		}
		for name, want := range extensions {
			if got := written.Extensions[name]; got != want {
				t.Errorf("%s: got %s %v, want %v", key, name, got, want)
			}
		}
		for _, code := range op.EveryError() {
			if written.Responses.Status(frame.Status(code)) == nil {
				t.Errorf("%s: got no response for %s, want one", key, code)
			}
		}
	}
	for key := range documented {
		t.Errorf("%s: got it in the document only, want it in the table", key)
	}
	if body := newService(t, nil).get("/openapi.json").body; body != string(openapi.JSON) {
		t.Error("got another document from /openapi.json, want the embedded one")
	}
}

func TestOpenAPIInYAMLEqualsJSON(t *testing.T) {
	t.Parallel()
	a := newService(t, nil).get("/openapi.yaml")
	if media := a.Header.Get("Content-Type"); media != "application/yaml" {
		t.Errorf("got the media type %s, want application/yaml", media)
	}
	var fromYAML, fromJSON any
	if err := yaml.Unmarshal([]byte(a.body), &fromYAML); err != nil {
		t.Fatal(err)
	}
	normal, err := json.Marshal(fromYAML)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(normal, &fromYAML); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(openapi.JSON, &fromJSON); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(fromYAML, fromJSON) {
		t.Errorf("YAML (-want as in JSON +got):\n%s", cmp.Diff(fromJSON, fromYAML))
	}
}

func TestCatalogLinksResolve(t *testing.T) {
	t.Parallel()
	s := newService(t, func(o *Options) {
		for _, path := range []string{"/docs", "/graphiql", "/schema.graphql"} {
			o.Mounts = append(o.Mounts, Mount{Pattern: path, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})})
		}
	})
	a := s.get("/.well-known/api-catalog")
	if media := a.Header.Get("Content-Type"); media != "application/linkset+json" {
		t.Errorf("got the media type %s, want application/linkset+json", media)
	}
	for _, a := range []answer{a, s.ask(http.MethodHead, "/.well-known/api-catalog")} {
		if link := a.Header.Get("Link"); link != `</.well-known/api-catalog>; rel="api-catalog"` {
			t.Errorf("got Link %q, want the catalog itself", link)
		}
	}
	links := regexp.MustCompile(`"href":"([^"]+)"`).FindAllStringSubmatch(a.body, -1)
	if len(links) < 8 {
		t.Fatalf("got %d links, want at least 8", len(links))
	}
	for _, link := range links {
		if got := s.get(link[1]); got.StatusCode != http.StatusOK {
			t.Errorf("%s: got %s, want 200", link[1], got.Status)
		}
	}
	for _, anchor := range []string{"/v1", "/graphql"} {
		if !strings.Contains(a.body, `"anchor":"`+anchor+`"`) {
			t.Errorf("got %s, want the anchor %s in it", a.body, anchor)
		}
	}
}
