package rpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"astrolabe/domain/gateway"
	"astrolabe/sim/spectest"
)

// TestAnswersThroughTheGatewayMatchTheSpecification calls every read of the
// allowlist, and a method of every other kind.
func TestAnswersThroughTheGatewayMatchTheSpecification(t *testing.T) {
	t.Parallel()
	spec := spectest.Read(t)
	s := newService(t)
	var block struct {
		Hash         string `json:"block_hash"`
		Transactions []string
	}
	s.result(t, "starknet_getBlockWithTxHashes", `[{"block_number":12}]`, &block)
	var update struct {
		Diff struct {
			Storage []struct{ Address string } `json:"storage_diffs"`
		} `json:"state_diff"`
	}
	s.result(t, "starknet_getStateUpdate", `[{"block_number":12}]`, &update)
	contract, class := update.Diff.Storage[len(update.Diff.Storage)-1].Address, ""
	s.result(t, "starknet_getClassHashAt", `["latest","`+contract+`"]`, &class)
	tx := block.Transactions[0]
	calls := map[string][]string{
		"starknet_specVersion": {``, `[]`, `{}`}, "starknet_chainId": {``}, "starknet_blockNumber": {``},
		"starknet_blockHashAndNumber": {``}, "starknet_syncing": {``},
		"starknet_getTransactionStatus":            {`["` + tx + `"]`, `{"transaction_hash":"` + tx + `"}`},
		"starknet_getBlockTransactionCount":        {`["latest"]`, `[{"block_hash":"` + block.Hash + `"}]`},
		"starknet_getStorageAt":                    {`["` + contract + `","0x1","latest"]`},
		"starknet_getNonce":                        {`["latest","` + contract + `"]`},
		"starknet_getClassHashAt":                  {`{"block_id":{"block_number":20},"contract_address":"` + contract + `"}`},
		"starknet_getClassAt":                      {`["latest","` + contract + `"]`},
		"starknet_getClass":                        {`["latest","` + class + `"]`},
		"starknet_call":                            {`[{"contract_address":"` + contract + `","entry_point_selector":"0x361458367e696363fbcc70777d07ebbd2394e89fd0adcaf147faccd1d294d60","calldata":[]},"latest"]`},
		"starknet_getStorageProof":                 {`["latest",["` + class + `"],["` + contract + `"],[{"contract_address":"` + contract + `","storage_keys":["0x1"]}]]`},
		"starknet_getCompiledCasm":                 {`["` + class + `"]`},
		"starknet_getBlockWithTxHashes":            {`["latest"]`, `["l1_accepted"]`, `["pre_confirmed"]`, `[{"block_number":0}]`},
		"starknet_getBlockWithTxs":                 {`["latest"]`, `[{"block_number":12},["INCLUDE_PROOF_FACTS"]]`},
		"starknet_getBlockWithReceipts":            {`["latest"]`, `{"block_id":"pre_confirmed"}`},
		"starknet_getStateUpdate":                  {`["latest"]`},
		"starknet_getTransactionByHash":            {`["` + tx + `"]`},
		"starknet_getTransactionByBlockIdAndIndex": {`[{"block_number":12},0]`},
		"starknet_getTransactionReceipt":           {`["` + tx + `"]`},
		"starknet_getMessagesStatus":               {`["0x1234"]`},
		"starknet_getEvents":                       {`[{"from_block":{"block_number":1},"to_block":"latest","chunk_size":5}]`},
		"starknet_estimateFee":                     {`[[],[],"latest"]`},
		"starknet_estimateMessageFee":              {`[{"from_address":"0x1","to_address":"` + contract + `","entry_point_selector":"0x1","payload":[]},"latest"]`},
		"starknet_simulateTransactions":            {`["latest",[],[]]`},
		"starknet_traceTransaction":                {`["` + tx + `"]`},
		"starknet_traceBlockTransactions":          {`[{"block_number":12}]`},
		"starknet_addInvokeTransaction":            {`[{}]`},
		"starknet_addDeclareTransaction":           {`[{}]`},
		"starknet_addDeployAccountTransaction":     {`[{}]`},
		gateway.Discover:                           {``},
	}
	for _, m := range gateway.Methods {
		if m.Subscribes() {
			continue
		}
		if len(calls[m.Name]) == 0 {
			t.Errorf("%s is not called, want a call of every method", m.Name)
		}
		for _, params := range calls[m.Name] {
			s.compare(t, spec, m.Name, params)
		}
	}
}

// compare sends a request through the gateway and to the node itself.
func (s *service) compare(t *testing.T, spec spectest.Specification, method, params string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `"`
	if params != "" {
		body += `,"params":` + params
	}
	body += `}`
	a := s.call(body)
	var through, direct struct {
		Result, Error json.RawMessage
	}
	if err := json.Unmarshal([]byte(a.body), &through); err != nil || a.StatusCode != 200 {
		t.Errorf("%s %s: got %d %s, want an answer", method, params, a.StatusCode, a.body)
		return
	}
	if method == gateway.Discover {
		return
	}
	if err := json.Unmarshal([]byte(s.direct(body)), &direct); err != nil {
		t.Fatal(err)
	}
	if string(through.Result) != string(direct.Result) || string(through.Error) != string(direct.Error) {
		t.Errorf("%s %s: got %s%s, want what the node answers: %s%s", method, params, through.Result, through.Error, direct.Result, direct.Error)
	}
	if through.Result == nil {
		if strings.Contains(string(through.Error), "rpc-gateway") {
			t.Errorf("%s %s: got %s, want an answer of the node", method, params, through.Error)
		}
		return
	}
	if err := spec.CheckResult(method, through.Result); err != nil {
		t.Errorf("%s %s: got %.300s (%v), want a result of the specification", method, params, through.Result, err)
	}
}

// result decodes the result of a call.
func (s *service) result(t *testing.T, method, params string, into any) {
	t.Helper()
	a := s.call(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`)
	answer := struct{ Result any }{into}
	if err := json.Unmarshal([]byte(a.body), &answer); err != nil {
		t.Fatalf("%s: %v in %s", method, err, a.body)
	}
}
