package contracttest

import (
	"encoding/json"
	"sync"
)

// Failure is an error code of an operation.
type Failure struct{ Operation, Code string }

var produced sync.Map // of Failure

// Produced reports whether any checked response was this failure.
func Produced(f Failure) bool {
	_, seen := produced.Load(f)
	return seen
}

// note records the error code of a response.
func note(operation string, body []byte) {
	var failure struct{ Code string }
	if json.Unmarshal(body, &failure) == nil && failure.Code != "" {
		produced.Store(Failure{operation, failure.Code}, true)
	}
}
