package gateway

import (
	"encoding/json"
	"strings"
	"testing"
)

const (
	tracedCall = `{"contract_address":"0x1","entry_point_selector":"0x2","calldata":["0x0","0xAb"],"caller_address":"0x0",` +
		`"class_hash":"0x3","entry_point_type":"EXTERNAL","call_type":"CALL","result":[],"calls":[],` +
		`"events":[{"order":0,"keys":["0x4"],"data":[]}],"messages":[{"order":0,"from_address":"0x1","to_address":"0x5","payload":["0x6"]}],` +
		`"execution_resources":{"l1_gas":0,"l2_gas":7},"is_reverted":false}`
	traced = `{"type":"INVOKE","execute_invocation":` + tracedCall + `,"execution_resources":{"l1_gas":1,"l1_data_gas":2,"l2_gas":3}}`
)

func TestCompleteTracesAreAccepted(t *testing.T) {
	t.Parallel()
	calls := tracedCall
	for range 100 {
		calls = strings.Replace(tracedCall, `"calls":[]`, `"calls":[`+calls+`]`, 1)
	}
	for name, text := range map[string]string{
		"an invoke":                   traced,
		"with a member of a new node": strings.Replace(traced, `"type"`, `"state_diff":{},"Type":5,"type"`, 1),
		"a reverted invoke":           strings.Replace(traced, tracedCall, `{"revert_reason":"out of gas"}`, 1),
		"a declare":                   `{"type":"DECLARE","execution_resources":{"l1_gas":1,"l1_data_gas":2,"l2_gas":3}}`,
		"a deployed account":          strings.NewReplacer("INVOKE", "DEPLOY_ACCOUNT", "execute_", "constructor_").Replace(traced),
		"an L1 handler":               strings.NewReplacer("INVOKE", "L1_HANDLER", "execute_", "function_").Replace(traced),
		"a hundred calls deep":        strings.Replace(traced, tracedCall, calls, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := completeTrace(json.RawMessage(text)); err != nil {
				t.Errorf("got %v, want it accepted:\n%s", err, text)
			}
			list := `[{"transaction_hash":"0x1","trace_root":` + text + `}]`
			for _, block := range []string{list, `{"traces":` + list + `,"initial_reads":{}}`} {
				if err := completeTraces(json.RawMessage(block)); err != nil {
					t.Errorf("in a block: got %v, want it accepted:\n%s", err, block)
				}
			}
		})
	}
}

func TestTraceWithAMalformedRequiredMemberIsRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][2]string{
		"no call type":                   {`"call_type":"CALL",`, ``},
		"an empty call type":             {`"CALL"`, `""`},
		"an unknown call type":           {`"CALL"`, `"call"`},
		"an unknown entry point type":    {`"EXTERNAL"`, `"BOGUS"`},
		"null in the calldata":           {`["0x0","0xAb"]`, `[null]`},
		"a number in the calldata":       {`["0x0","0xAb"]`, `[1]`},
		"null as calldata":               {`["0x0","0xAb"]`, `null`},
		"a padded felt":                  {`"class_hash":"0x3"`, `"class_hash":"0x00003"`},
		"a felt with an upper-case X":    {`"class_hash":"0x3"`, `"class_hash":"0X3"`},
		"a felt beyond the prime":        {`"class_hash":"0x3"`, `"class_hash":"0x` + strings.Repeat("f", 63) + `"`},
		"the type in upper case":         {`"type"`, `"TYPE"`},
		"the resources in mixed case":    {`"execution_resources":{"l1_gas":0`, `"Execution_Resources":{"l1_gas":0`},
		"a member twice":                 {`"class_hash":"0x3"`, `"class_hash":"0x3","class_hash":"0x3"`},
		"no gas of data":                 {`"l1_data_gas":2,`, ``},
		"negative gas":                   {`"l2_gas":7`, `"l2_gas":-7`},
		"null as a flag":                 {`"is_reverted":false`, `"is_reverted":null`},
		"null as a call":                 {`"calls":[]`, `"calls":[null]`},
		"an empty call":                  {`"calls":[]`, `"calls":[{}]`},
		"an event without keys":          {`"keys":["0x4"],`, ``},
		"a message without payload":      {`,"payload":["0x6"]`, ``},
		"an unknown type":                {`"INVOKE"`, `"DEPLOY"`},
		"the invocation of another type": {`"INVOKE"`, `"L1_HANDLER"`},
		"a number as reason of a revert": {tracedCall, `{"revert_reason":5}`},
		"a malformed optional member":    {`"type"`, `"validate_invocation":{},"type"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(traced, change[0], change[1], 1)
			if text == traced {
				t.Fatalf("got the trace unchanged, want %s in it", change[0])
			}
			if completeTrace(json.RawMessage(text)) == nil {
				t.Errorf("got it accepted, want it refused:\n%s", text)
			}
			if block := `[{"transaction_hash":"0x1","trace_root":` + text + `}]`; completeTraces(json.RawMessage(block)) == nil {
				t.Errorf("in a block: got it accepted, want it refused:\n%s", block)
			}
		})
	}
}

func TestTracesOfABlockWithAMalformedRequiredMemberAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, `{}`, `[null]`, `{"traces":[]}`, `{"traces":null,"initial_reads":{}}`, `{"traces":[],"initial_reads":null}`,
		`{"traces":[],"Initial_Reads":{}}`, `{"traces":[],"initial_reads":{"nonces":[{"contract_address":"0x1","nonce":null}]}}`,
		`[{"trace_root":` + traced + `}]`, `[{"transaction_hash":"0x1"}]`, `[{"transaction_hash":"0x01","trace_root":` + traced + `}]`,
	} {
		if completeTraces(json.RawMessage(text)) == nil {
			t.Errorf("got it accepted, want it refused:\n%s", text)
		}
	}
}
