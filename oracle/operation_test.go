package oracle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// incomparable are the operations that read something else than the chain, and
// what that is.
var incomparable = map[string]string{
	"getApiCatalog":                      "a document about the service",
	"callRpc":                            "an answer of the node",
	"callRpcByKeyedUrl":                  "an answer of the node",
	"openRpcSocket":                      "a WebSocket",
	"openRpcSocketByKeyedUrl":            "a WebSocket",
	"getTransactionTrace":                "an answer of the node",
	"getOpenapiJson":                     "a document about the service",
	"getOpenapiYaml":                     "a document about the service",
	"getCapabilities":                    "how the service is configured; what it says of wide searches is compared by itself",
	"getEvidence":                        "how the service was tested",
	"getPrivacyPoolDashboard":            "three other answers, for our own pages",
	"listApiKeys":                        "the caller's account",
	"issueApiKey":                        "the caller's account, which it changes",
	"createVerificationJob":              "the caller's verification jobs, which it changes",
	"getVerificationJob":                 "the caller's verification jobs",
	"cancelVerificationJob":              "the caller's verification jobs, which it changes",
	"getVerificationReceipt":             "the caller's verification jobs",
	"getVerificationTrustRoot":           "the keys of the service",
	"getVerificationLogCheckpoint":       "the transparency log, which its own clients check",
	"getVerificationLogTile":             "the transparency log, which its own clients check",
	"getVerificationLogTileInTwoParts":   "the transparency log, which its own clients check",
	"getVerificationLogTileInThreeParts": "the transparency log, which its own clients check",
	"getVerificationLogInclusion":        "the transparency log, which its own clients check",
	"getVerificationLogConsistency":      "the transparency log, which its own clients check",
	"submitProof":                        "the caller's proof jobs, which it changes",
	"getProof":                           "the caller's proof jobs",
	"getSession":                         "the caller's account",
	"listSessions":                       "the caller's account",
	"getUsage":                           "the caller's account",
}

// operation is a read of the OpenAPI document.
type operation struct {
	id     string
	method string
	path   *regexp.Regexp
}

// operations are all reads of the document: GET, and POST where a question does
// not fit into an address.
func operations(t *testing.T) (list []operation) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "rest", "openapi", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	segment := regexp.MustCompile(`\\\{[^/]*\\\}`)
	for path, methods := range document.Paths {
		for method, o := range methods {
			if method == "get" || method == "post" {
				pattern := segment.ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
				list = append(list, operation{o.OperationID, strings.ToUpper(method), regexp.MustCompile("^" + pattern + "$")})
			}
		}
	}
	return list
}

// operationOf names the operation that answers a request.
func (w *world) operationOf(r Request) string {
	w.Helper()
	for _, o := range w.operations {
		if o.method == r.method() && o.path.MatchString(w.route(r)) {
			return o.id
		}
	}
	w.Fatalf("%s: got no operation that answers it, want one", r)
	return ""
}

// requireEveryRead requires that each operation returned a non-empty answer that
// equals the model, or is known to read something other than the chain.
func (w *world) requireEveryRead() {
	w.Helper()
	known := map[string]bool{}
	for _, o := range w.operations {
		known[o.id] = true
		switch why := incomparable[o.id]; {
		case why != "" && w.exercised[o.id] > 0:
			w.Errorf("%s: got %d compared answers, want none, as it reads only %s", o.id, w.exercised[o.id], why)
		case why == "" && w.exercised[o.id] == 0:
			w.Errorf("%s: got no compared answer, want some: the model knows too little, or the requests ask too little", o.id)
		}
	}
	for id := range incomparable {
		if !known[id] {
			w.Errorf("got %s, want an operation that exists", id)
		}
	}
}
