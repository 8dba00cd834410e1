package prover

import (
	"astrolabe/domain/prove"
	"astrolabe/strictjson"
)

// requestID is the id of every request: each has its own connection.
const requestID = "1"

// encode returns the JSON-RPC request with the parameters byte for byte.
func encode(params prove.Private) []byte {
	text := params.Reveal()
	b := make([]byte, 0, 80+len(text))
	b = append(b, `{"jsonrpc":"2.0","id":`+requestID+`,"method":"starknet_proveTransaction","params":`...)
	return append(append(b, text...), '}')
}

// answer is a JSON-RPC response. Members that are not needed are left out.
type answer struct {
	Version string         `json:"jsonrpc"`
	ID      strictjson.Raw `json:"id"`
	Result  strictjson.Raw `json:"result,omitempty"`
	Error   *failure       `json:"error"`
}

type failure struct {
	Code    int64          `json:"code"`
	Message strictjson.Raw `json:"message,omitempty"`
	Data    strictjson.Raw `json:"data,omitempty"`
}

// result is what a result must have; nothing of it is changed.
type result struct {
	Proof      string           `json:"proof"`
	ProofFacts []string         `json:"proof_facts"`
	Messages   []strictjson.Raw `json:"l2_to_l1_messages"`
}

// decode reads an answer. It reports false if the text is not an answer to the
// request. An error may have the id null, if the prover could not read the
// request's own.
func decode(text []byte) (prove.Outcome, bool) {
	var a answer
	if strictjson.Decode(text, &a, strictjson.AllowUnknownKeys()) != nil || a.Version != "2.0" {
		return prove.Outcome{}, false
	}
	ours := string(a.ID) == requestID
	switch {
	case a.Error != nil && a.Result == nil && (ours || string(a.ID) == "null"):
		return prove.Refused(a.Error.Code, prove.Conceal(a.Error.Message), prove.Conceal(a.Error.Data)), true
	case a.Error == nil && ours && isProof(a.Result):
		return prove.Proven(prove.Conceal(a.Result)), true
	}
	return prove.Outcome{}, false
}

func isProof(text strictjson.Raw) bool {
	var r result
	return text != nil && strictjson.Decode(text, &r, strictjson.AllowUnknownKeys()) == nil && r.Proof != ""
}
