package frame

import (
	"os"
	"regexp"
	"testing"

	"astrolabe/domain"
)

// TestErrorCatalogueExplainsEveryCode reads the codes out of their source,
// because nothing else lists them all.
func TestErrorCatalogueExplainsEveryCode(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../domain/code.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`Code\w+ +Code = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) != len(domain.Catalogue) || len(codes) != len(statuses) {
		t.Errorf("got %d codes, %d in the catalogue and %d with a status, want the same number", len(codes), len(domain.Catalogue), len(statuses))
	}
	explained := map[domain.Code]bool{}
	for _, e := range domain.Catalogue {
		explained[e.Code] = true
		if _, ok := statuses[e.Code]; !ok {
			t.Errorf("%s: got no status, want one", e.Code)
		}
	}
	for code := range statuses {
		if !explained[code] {
			t.Errorf("%s: got a status but no entry in the catalogue, want both", code)
		}
	}
	for _, code := range codes {
		if !explained[domain.Code(code[1])] {
			t.Errorf("%s: got no entry in the catalogue, want one", code[1])
		}
	}
}
