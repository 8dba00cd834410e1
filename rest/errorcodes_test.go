package rest

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"testing"

	"astrolabe/domain"
	"astrolabe/pg/pgtest"
	"astrolabe/rest/contracttest"
)

// TestTheCatalogueExplainsEveryCode reads the codes out of their source,
// because nothing else lists them all.
func TestTheCatalogueExplainsEveryCode(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../domain/code.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`Code\w+ +Code = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) != len(domain.Catalogue) || len(codes) != len(statuses) {
		t.Errorf("there are %d codes, %d are explained and %d have a status", len(codes), len(domain.Catalogue), len(statuses))
	}
	explained := map[domain.Code]bool{}
	for _, e := range domain.Catalogue {
		explained[e.Code] = true
	}
	for _, code := range codes {
		if !explained[domain.Code(code[1])] {
			t.Errorf("%s is not explained", code[1])
		}
	}
}

// tests runs all tests and then looks back at what they have seen.
type tests struct{ pgtest.Main }

// Run implements what goleak runs.
func (m tests) Run() int {
	status := m.Main.Run()
	if status == 0 && wholePackage() && !everyCodeWasProduced() {
		return 1
	}
	return status
}

// wholePackage reports whether all tests ran, and not some of them.
func wholePackage() bool {
	for _, name := range []string{"test.run", "test.skip", "test.fuzz", "test.list", "test.bench"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

// everyCodeWasProduced reports whether some test has seen each code that an
// operation can give beyond the common ones, and each of these from any.
func everyCodeWasProduced() bool {
	all, common := true, map[domain.Code]bool{}
	for _, op := range Table() {
		for _, code := range op.EveryError() {
			common[code] = common[code] || contracttest.Produced(contracttest.Failure{Operation: op.ID, Code: string(code)})
		}
		for _, code := range op.Errors {
			if !contracttest.Produced(contracttest.Failure{Operation: op.ID, Code: string(code)}) {
				fmt.Printf("no test has seen %s answer %s\n", op.ID, code)
				all = false
			}
		}
	}
	for code, seen := range common {
		if !seen {
			fmt.Printf("no test has seen any operation answer %s\n", code)
			all = false
		}
	}
	return all
}
