package contracttest

import (
	"encoding/json"
	"sync"
)

// Failure is a code that an operation answered with.
type Failure struct{ Operation, Code string }

var produced sync.Map // of Failure

// Produced reports whether a test has seen the failure, among all whose answers
// were held against the document.
func Produced(f Failure) bool {
	_, seen := produced.Load(f)
	return seen
}

// note remembers the code of an operation's failure.
func note(operation string, body []byte) {
	var failure struct{ Code string }
	if json.Unmarshal(body, &failure) == nil && failure.Code != "" {
		produced.Store(Failure{operation, failure.Code}, true)
	}
}
