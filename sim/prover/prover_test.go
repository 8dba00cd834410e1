package prover_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"astrolabe/sim/prover"
	"astrolabe/sim/spectest"
	"astrolabe/starknet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// transfer is a transaction that can be proven, with a wish in paymaster_data
// unless it is empty.
func transfer(wish string) string {
	paymaster := ""
	if wish != "" {
		paymaster = `"` + starknet.MustShortString(wish).String() + `"`
	}
	return fmt.Sprintf(`{"type":"INVOKE","version":"0x3","sender_address":"0x5","calldata":["0x1","0x2"],"signature":["0x3"],"nonce":"0x4",
		"resource_bounds":{"l1_gas":{"max_amount":"0x0","max_price_per_unit":"0x0"},"l2_gas":{"max_amount":"0x100","max_price_per_unit":"0x0"},
		"l1_data_gas":{"max_amount":"0x0","max_price_per_unit":"0x0"}},"tip":"0x0","paymaster_data":[%s],"account_deployment_data":[],
		"nonce_data_availability_mode":"L1","fee_data_availability_mode":"L1"}`, paymaster)
}

type served struct {
	*testing.T
	*prover.Prover
	url string
}

func serve(t *testing.T, o prover.Options) served {
	t.Helper()
	p := prover.New(o)
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return served{t, p, server.URL}
}

// answer is a JSON-RPC response.
type answer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *prover.Failure `json:"error"`
}

func (s served) asks(method, params string) (answer, error) {
	s.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
	response, err := client.Post(s.url, "application/json", strings.NewReader(body)) //nolint:noctx // ends with the test's server
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, err
	}
	var a answer
	return a, json.Unmarshal(text, &a)
}

func (s served) proves(transaction string) (answer, error) {
	return s.asks("starknet_proveTransaction", `{"block_id":{"block_number":12},"transaction":`+transaction+`}`)
}

func TestResultsFollowThePublishedSpecification(t *testing.T) {
	t.Parallel()
	spec := spectest.Read(t)
	s := serve(t, prover.Options{})
	for _, wish := range []string{"", "attest"} {
		got, err := s.proves(transfer(wish))
		if err != nil || got.Error != nil || got.ID != 7 {
			t.Fatalf("%q: got %v and %v, want a result for request 7", wish, got.Error, err)
		}
		if err := spec.CheckResult("starknet_proveTransaction", got.Result); err != nil {
			t.Errorf("%q: got %v, want a result of the specification", wish, err)
		}
		if attested := strings.Contains(string(got.Result), `"additional_data":{"signature":{"issued_at":`); attested != (wish == "attest") {
			t.Errorf("%q: got attested %t, want that only on demand", wish, attested)
		}
	}
	version, err := s.asks("starknet_specVersion", "[]")
	if err != nil || string(version.Result) != `"`+prover.SpecVersion+`"` {
		t.Errorf("got the version %s and %v, want %s", version.Result, err, prover.SpecVersion)
	}
}

func TestTransactionsChooseTheirReplyByName(t *testing.T) {
	t.Parallel()
	s := serve(t, prover.Options{})
	for _, name := range prover.Names() {
		if name == "hang" {
			continue
		}
		got, err := s.proves(transfer(name))
		switch {
		case name == "cut" || name == "truncate":
			if err == nil {
				t.Errorf("%s: got an answer, want the connection closed", name)
			}
		case err != nil:
			t.Errorf("%s: got %v, want an answer", name, err)
		case got.Error == nil && name != "attest":
			t.Errorf("%s: got a proof, want an error", name)
		}
	}
}

func TestUnsupportedTransactionsGetTheirErrorCode(t *testing.T) {
	t.Parallel()
	s := serve(t, prover.Options{Head: func() uint64 { return 12 }})
	swap := func(old, replacement string) string { return strings.Replace(transfer(""), old, replacement, 1) }
	for transaction, want := range map[string]int{
		transfer(""): 0, swap("INVOKE", "DECLARE"): 1001, swap(`"0x3"`, `"0x1"`): 61, swap(`"tip":"0x0"`, `"tip":"0x1"`): 1000,
		swap(`"max_amount":"0x100"`, `"max_amount":"0x0"`): 1000, swap(`"type"`, `"proof":"AA==","type"`): 1000, "[]": 1000,
	} {
		got, err := s.proves(transaction)
		if code := codeOf(got); err != nil || code != want {
			t.Errorf("%s: got code %d and %v, want %d", transaction, code, err, want)
		}
	}
	got, err := s.asks("starknet_proveTransaction", `{"block_id":{"block_number":13},"transaction":`+transfer("")+`}`)
	if err != nil || codeOf(got) != 24 {
		t.Errorf("got %d and %v for a block beyond the head, want 24", codeOf(got), err)
	}
}

func codeOf(a answer) int {
	if a.Error == nil {
		return 0
	}
	return a.Error.Code
}

func TestScriptedRepliesComeInOrderAndRequestsAreCounted(t *testing.T) {
	t.Parallel()
	s := serve(t, prover.Options{})
	released := make(chan struct{})
	s.Script(prover.CutUnread(), prover.Fail(55, "Account validation failed", "no"), prover.Succeed().After(released), prover.Status(503))
	if _, err := s.proves(transfer("")); err == nil {
		t.Error("got an answer, want the connection closed before the request was read")
	}
	if all, _ := s.Received(nil); all != 0 {
		t.Errorf("got %d received requests, want none", all)
	}
	if got, err := s.proves(transfer("")); err != nil || codeOf(got) != 55 {
		t.Errorf("got %d and %v, want 55", codeOf(got), err)
	}
	done := make(chan answer)
	go func() {
		got, _ := s.proves(transfer("busy"))
		done <- got
	}()
	if err := s.Await(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	close(released)
	if got := <-done; got.Result == nil {
		t.Errorf("got %v, want the scripted proof whatever the transaction wishes", got.Error)
	}
	if _, err := s.proves(transfer("")); err == nil {
		t.Error("got JSON, want only the status")
	}
	if all, same := s.Received([]byte(transfer(""))); all != 3 || same != 2 {
		t.Errorf("got %d requests and %d of the transaction, want 3 and 2", all, same)
	}
}
