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
		t.Errorf("there are %d codes, %d are explained and %d have a status, want as many", len(codes), len(domain.Catalogue), len(statuses))
	}
	explained := map[domain.Code]bool{}
	for _, e := range domain.Catalogue {
		explained[e.Code] = true
		if _, ok := statuses[e.Code]; !ok {
			t.Errorf("%s has no status, want one", e.Code)
		}
	}
	for code := range statuses {
		if !explained[code] {
			t.Errorf("%s has a status and is not explained, want both", code)
		}
	}
	for _, code := range codes {
		if !explained[domain.Code(code[1])] {
			t.Errorf("%s is not explained, want it in the catalogue", code[1])
		}
	}
}
