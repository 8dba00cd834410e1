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
		t.Errorf("got %+v", got)
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
			t.Errorf("%s has no evidence", op.OperationID)
		}
		for _, name := range op.Tests {
			if !existing[name] {
				t.Errorf("%s names %s, which does not exist", op.OperationID, name)
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
			t.Errorf("%s is in the table but not in the document", key)
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
				t.Errorf("%s: %s is %v, want %v", key, name, got, want)
			}
		}
		for _, code := range op.EveryError() {
			if written.Responses.Status(frame.Status(code)) == nil {
				t.Errorf("%s: %s is not documented", key, code)
			}
		}
	}
	for key := range documented {
		t.Errorf("%s is in the document but not in the table", key)
	}
	if body := newService(t, nil).get("/openapi.json").body; body != string(openapi.JSON) {
		t.Error("another document is served")
	}
}

func TestOpenAPIInYAMLEqualsJSON(t *testing.T) {
	t.Parallel()
	a := newService(t, nil).get("/openapi.yaml")
	if media := a.Header.Get("Content-Type"); media != "application/yaml" {
		t.Errorf("media type %s", media)
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
		t.Error("the documents differ")
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
		t.Errorf("media type %s", media)
	}
	for _, a := range []answer{a, s.ask(http.MethodHead, "/.well-known/api-catalog")} {
		if link := a.Header.Get("Link"); link != `</.well-known/api-catalog>; rel="api-catalog"` {
			t.Errorf("Link is %q", link)
		}
	}
	links := regexp.MustCompile(`"href":"([^"]+)"`).FindAllStringSubmatch(a.body, -1)
	if len(links) < 8 {
		t.Fatalf("only %d links", len(links))
	}
	for _, link := range links {
		if got := s.get(link[1]); got.StatusCode != http.StatusOK {
			t.Errorf("%s answers %s", link[1], got.Status)
		}
	}
	for _, anchor := range []string{"/v1", "/graphql"} {
		if !strings.Contains(a.body, `"anchor":"`+anchor+`"`) {
			t.Errorf("no anchor %s", anchor)
		}
	}
}
