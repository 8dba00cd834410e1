package prover

import (
	"encoding/json"
	"testing"

	"astrolabe/domain/prove"
)

// FuzzDecode checks that only a whole proof succeeds, and that every outcome is a
// terminal one.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"proof":"AA==","proof_facts":["0x1"],"l2_to_l1_messages":[]}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x","data":"Reverted transactions are not supported; hash: TransactionHash(0x1)"}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":10000,"message":"x","data":"screening_unavailable"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		outcome, ok := decode(text)
		switch {
		case !ok:
			return
		case !outcome.Status.Terminal() || outcome.Status == prove.UnknownDelivery:
			t.Errorf("got %s, want the status of an answer", outcome.Status)
		case outcome.Status == prove.Succeeded && !json.Valid(outcome.Payload.Result.Reveal()):
			t.Error("got a result that is not JSON, want JSON")
		case outcome.Status == prove.Failed && outcome.Code < 0 && outcome.Code != -32603:
			t.Errorf("got the code %d passed through, want it absorbed", outcome.Code)
		}
	})
}
