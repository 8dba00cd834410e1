package prove_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/prove"
)

func TestBodiesWithoutTheFormOfASubmissionAreRefused(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]domain.Code{
		`{}`: domain.CodeInvalidRequest, `[]`: domain.CodeInvalidRequest, `{`: domain.CodeInvalidRequest,
		`{"block_id":"latest","transaction":{"type":"INVOKE"}}`:                                                            domain.CodeInvalidRequest,
		`{"block_id":{"block_hash":"0x1"},"transaction":{"type":"INVOKE"}}`:                                                domain.CodeInvalidRequest,
		`{"block_id":{"block_number":-1},"transaction":{"type":"INVOKE"}}`:                                                 domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1.5},"transaction":{"type":"INVOKE"}}`:                                                domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1},"transaction":{"type":"DECLARE"}}`:                                                 domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1},"transaction":{"Type":"INVOKE"}}`:                                                  domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1},"transaction":[]}`:                                                                 domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1}}`:                                                                                  domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1},"transaction":{"type":"INVOKE"},"more":1}`:                                         domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1},"transaction":{"type":"INVOKE","a":[{"b":1,"b":1}]}}`:                              domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1},"transaction":{"type":"INVOKE"},"transaction":{}}`:                                 domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1},"transaction":{"type":"INVOKE","n":1e10000}}`:                                      domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1},"transaction":{"type":"INVOKE"}} 1`:                                                domain.CodeInvalidRequest,
		`{"block_id":{"block_number":1},"transaction":{"type":"INVOKE","x":"` + strings.Repeat("x", prove.MaxBody) + `"}}`: domain.CodePayloadTooLarge,
	} {
		if _, err := prove.ParseSubmission([]byte(text)); domain.CodeOf(err) != code {
			t.Errorf("%.100s: got %v, want %s", text, err, code)
		}
	}
	_, err := prove.ParseSubmission([]byte(`{"block_id":{"block_number":1},"transaction":{"type":"INVOKE"},"more":1}`))
	if err == nil || !strings.Contains(err.Error(), `"more"`) {
		t.Errorf("got %v, want an error that names the unknown key", err)
	}
}

func TestBodiesMayHave64Levels(t *testing.T) {
	t.Parallel()
	for levels, accepted := range map[int]bool{64: true, 65: false, 100_000: false} {
		arrays := levels - 2 // the body and the transaction are two
		_, err := prove.ParseSubmission([]byte(`{"block_id":{"block_number":1},"transaction":{"type":"INVOKE","x":` +
			strings.Repeat("[", arrays) + strings.Repeat("]", arrays) + `}}`))
		if (err == nil) != accepted || err != nil && domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%d levels: got %v, want it accepted: %t", levels, err, accepted)
		}
	}
}

func TestTransactionsAreForwardedByteForByte(t *testing.T) {
	t.Parallel()
	const transaction = `{ "type":"INVOKE", "calldata":[ "0x1" ,"\u0030x2"], "tip": 1.50E+2, "big":123456789012345678901 }`
	s, err := prove.ParseSubmission([]byte(`{"transaction": ` + transaction + ` , "block_id":{"block_number":7e0}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(s.Params().Reveal()), `{"block_id":{"block_number":7},"transaction":`+transaction+`}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// FuzzParseSubmission checks that accepted bodies give valid parameters with the
// transaction in them, and that errors quote nothing of a transaction.
func FuzzParseSubmission(f *testing.F) {
	f.Add([]byte(`{"block_id":{"block_number":7},"transaction":{"type":"INVOKE"}}`))
	f.Add([]byte(`{"block_id":{"block_number":7},"transaction":{"type":"INVOKE","MARKED":1,"MARKED":2}}`))
	f.Add([]byte(`{"block_id":{"block_number":7.0},"transaction":{"type":"DECLARE","a":"MARKED"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := prove.ParseSubmission(text)
		if err != nil {
			_, inside, found := bytes.Cut(text, []byte(`"transaction":`))
			if domain.CodeOf(err) == domain.CodeInternal || found && bytes.Contains(inside, []byte("MARKED")) && !bytes.Contains(inside, []byte("}")) && strings.Contains(err.Error(), "MARKED") {
				t.Errorf("got %v, want a refusal that quotes nothing of the transaction", err)
			}
			return
		}
		if !json.Valid(s.Params().Reveal()) {
			t.Errorf("got %s, want JSON", s.Params().Reveal())
		}
	})
}
