package rest

import (
	"flag"
	"fmt"

	"astrolabe/domain"
	"astrolabe/pg/pgtest"
	"astrolabe/rest/contracttest"
)

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
		if op.Serve != nil { // its errors are of another protocol: see package rpc
			continue
		}
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
