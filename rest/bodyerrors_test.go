package rest

import (
	"net/http"
	"strings"
	"testing"

	"astrolabe/domain"
)

// TestBodyErrorsNameFieldFormAndLimit compares whole sentences: they are what a
// caller corrects a request by.
func TestBodyErrorsNameFieldFormAndLimit(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	const previews, summaries = "/v1/SN_MAIN/tx/previews", "/v1/SN_MAIN/address/summaries"
	const felt = "a 0x-prefixed hexadecimal felt below the field prime"
	for _, c := range []struct{ path, body, want string }{
		{previews, `{"txHashes":["0x1"]}`, `Unknown body field "txHashes". Supported fields: hashes.`},
		{previews, `{"Hashes":["0x1"]}`, `Unknown body field "Hashes". Supported fields: hashes.`},
		{previews, `{"hashes":["0x1"],"hashes":["0x1"]}`, `The body field "hashes" is given more than once.`},
		{previews, `{}`, "hashes is required: an array of 1 to 128 transaction hashes."},
		{previews, `{"hashes":"0x1"}`, "hashes must be an array of 1 to 128 transaction hashes."},
		{previews, `{"hashes":["0x1",2]}`, "hashes[1] must be " + felt + "."},
		{previews, `{"hashes":["0x1","0x2","nonsense"]}`, "hashes[2] must be " + felt + "."},
		{previews, `{"hashes":[]}`, "hashes must have 1 to 128 items, got 0."},
		{previews, `[]`, "The request body must be a JSON object."},
		{previews, `{"hashes":`, "The request body must be a JSON object: the JSON text ends too early."},
		{summaries, `{"addresses":7}`, "addresses must be an array of 1 to 128 addresses."},
		{summaries, `{"wallets":[]}`, `Unknown body field "wallets". Supported fields: addresses.`},
		{walletPath, `{}`, "ownerAddress is required: " + felt + "."},
		{walletPath, `{"ownerAddress":1}`, "ownerAddress must be " + felt + "."},
		{walletPath, `{"ownerAddress":"0x1","limit":"5"}`, "limit must be an integer between 1 and 25."},
		{walletPath, `{"ownerAddress":"0x1","limit":1.5}`, "limit must be an integer between 1 and 25."},
		{walletPath, `{"ownerAddress":"0x1","limit":26}`, "limit must be between 1 and 25, got 26."},
		{walletPath, `{"ownerAddress":"0x1","mode":1}`, "mode must be one of require_complete, verified_partial."},
		{walletPath, `{"ownerAddress":"0x1","mode":"all"}`, `mode must be one of require_complete, verified_partial, got "all".`},
		{walletPath, `{"ownerAddress":"0x1","scope":"all"}`, `scope must be one of discovered_plus_registry, discovered, explicit, got "all".`},
		{walletPath, `{"ownerAddress":"0x1","blockPreference":"latest"}`, `blockPreference must be one of latest_accepted_l2, l1_accepted, explicit, got "latest".`},
		{walletPath, `{"ownerAddress":"0x1","blockNumber":-1}`, "blockNumber must be an integer between 0 and 9007199254740991."},
		{walletPath, `{"ownerAddress":"0x1","tokenAddresses":["x"]}`, "tokenAddresses[0] must be " + felt + "."},
	} {
		if e := requireFailure(t, s.postJSON(c.path, c.body), http.StatusBadRequest, domain.CodeInvalidRequest); e.Message != c.want {
			t.Errorf("%s: got %q, want %q", c.body, e.Message, c.want)
		}
	}
}

func TestTooLargeBodyStatesTheLimit(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for path, limit := range map[string]string{walletPath: "8192", "/v1/SN_MAIN/tx/previews": "32768", "/v1/SN_MAIN/address/intelligence": "32768"} {
		a := s.postJSON(path, `{"x":"`+strings.Repeat("x", 40_000)+`"}`)
		if e := requireFailure(t, a, http.StatusRequestEntityTooLarge, domain.CodePayloadTooLarge); e.Message != "The request body exceeds the limit of "+limit+" bytes." {
			t.Errorf("%s: got %q, want the limit of %s bytes", path, e.Message, limit)
		}
	}
}
