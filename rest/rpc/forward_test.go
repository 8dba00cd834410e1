package rpc_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

func TestResultsAndNodeErrorsPassUnchanged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for name, answered := range map[string]string{
		"a result": `{"jsonrpc":"2.0","id":%s,"result":{ "b" : 1.50e0, "a":"\u0041\/" , "a2":[ ] }}`,
		"an error": `{"jsonrpc":"2.0","id":%s,"error":{ "code":40, "message":"Contract error\u0021","data":{"x":[1.0]} }}`,
	} {
		var id string
		s.node.answers(func(w http.ResponseWriter, r *http.Request) {
			var request struct{ ID json.RawMessage }
			_ = json.NewDecoder(r.Body).Decode(&request)
			id = string(request.ID)
			_, _ = fmt.Fprintf(w, answered, id)
		})
		a := s.call(`{"jsonrpc":"2.0","id":"mine","method":"starknet_getEvents","params":["` + name + `"]}`)
		if want := fmt.Sprintf(answered, `"mine"`); a.StatusCode != 200 || a.body != want {
			t.Errorf("%s: got %d %s, want %s", name, a.StatusCode, a.body, want)
		}
	}
}

// TestOddSpellingsAreForwardedUnchangedOrRefused compares what the node
// receives with what the client sent, for spellings that parsers may read
// differently.
func TestOddSpellingsAreForwardedUnchangedOrRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.node.answers(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&request)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":1}`, request.ID)
	})
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a fixed sequence
	forwarded, refused := 0, 0
	const total, perBatch = 1000, 20
	for from := 0; from < total; from += perBatch {
		var params, items []string
		for i := range perBatch {
			params = append(params, oddParams(random, 4))
			items = append(items, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"starknet_simulateTransactions","params":[%d,%s]}`, i, from+i, params[i]))
		}
		a := s.post("/v1/SN_MAIN/rpc", "["+strings.Join(items, ",")+"]", "X-Service-Api-Key", s.unlimitedKey())
		var answers []struct {
			Result json.RawMessage `json:"result"`
			Error  *struct{ Code int }
		}
		if err := json.Unmarshal([]byte(a.body), &answers); err != nil || len(answers) != perBatch {
			t.Fatalf("got %s, want %d answers", a.body, perBatch)
		}
		received := strings.Join(s.node.received("starknet_simulateTransactions"), "\n")
		for i, answer := range answers {
			exact := strings.Contains(received, fmt.Sprintf(`"params":[%d,%s]}`, from+i, params[i]))
			switch {
			case answer.Error == nil && exact:
				forwarded++
			case answer.Error != nil && answer.Error.Code == -32602 && !strings.Contains(received, fmt.Sprintf(`"params":[%d,`, from+i)):
				refused++
			default:
				t.Errorf("params %s: got error %v and forwarded unchanged: %t; want one of them", params[i], answer.Error, exact)
			}
		}
	}
	if forwarded < total/4 || refused < total/20 {
		t.Errorf("got %d forwarded and %d refused, want many of both", forwarded, refused)
	}
}

// oddParams returns a random JSON value that is valid but unusual.
func oddParams(random *rand.Rand, depth int) string {
	scalars := []string{`1.0`, `1e2`, `-0`, `123456789012345678901234567890.5`, `"\u0061"`, `"\ud83d\ude00"`, `"é"`, `"\/"`, `null`, `true`, `""`, `"0X0A"`}
	if depth == 0 || random.IntN(3) == 0 {
		return scalars[random.IntN(len(scalars))]
	}
	if random.IntN(2) == 0 {
		return "[ " + oddParams(random, depth-1) + " ,\t" + oddParams(random, depth-1) + "]"
	}
	keys := []string{`"a"`, `"\u0061"`, `"A"`, `"block_id"`, `"é"`}
	return "{ " + keys[random.IntN(5)] + " :" + oddParams(random, depth-1) + ", " + keys[random.IntN(5)] + ":" + oddParams(random, depth-1) + " }"
}

func TestBatchIsAnsweredInOrderAndNotificationsAreNot(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a := s.call(`[{"jsonrpc":"2.0","id":3,"method":"starknet_chainId"},{"jsonrpc":"2.0","method":"starknet_chainId"},` +
		`{"jsonrpc":"2.0","id":"two","method":"nonsense"},5,{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber"}]`)
	var answers []failure
	if err := json.Unmarshal([]byte(a.body), &answers); err != nil || a.StatusCode != 200 {
		t.Fatalf("got %d %s, want a batch", a.StatusCode, a.body)
	}
	var got []string
	for _, f := range answers {
		got = append(got, fmt.Sprintf("%s:%d", f.ID, f.Error.Code))
	}
	if want := `3:0 "two":-32601 null:-32600 1:0`; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
	for _, lone := range []string{`{"jsonrpc":"2.0","method":"starknet_chainId"}`, `[{"jsonrpc":"2.0","method":"starknet_chainId"}]`} {
		if a := s.call(lone); a.StatusCode != http.StatusNoContent || a.body != "" {
			t.Errorf("a notification: got %d %q, want 204 without a body", a.StatusCode, a.body)
		}
	}
}

func TestKeyInTheURLReachesNoLog(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a := s.post("/rpc/v0_10/SN_MAIN/"+s.access.Key, chainID)
	if want := `{"jsonrpc":"2.0","id":1,"result":"0x534e5f4d41494e"}`; a.StatusCode != 200 || a.body != want {
		t.Errorf("got %d %s, want %s", a.StatusCode, a.body, want)
	}
	s.post("/rpc/v0_10/SN_SEPOLIA/"+s.access.Key, chainID)
	s.post("/rpc/v0_10/SN_MAIN/"+s.access.Key+"/x", chainID)
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if log := s.log.String(); strings.Contains(log, s.access.Key) || !strings.Contains(log, "/rpc/v0_10/{chain}/{key}") {
		t.Errorf("got the log\n%s\nwant the template of the route, without the key", log)
	}
}
