package gateway

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTargetsOfAStorageProofAreLimitedTogetherAndByList(t *testing.T) {
	t.Parallel()
	list := func(element string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}
	felts := func(n int) string { return list(`"0x1"`, n) }
	contract := func(keys int) string { return `{"contract_address":"0x3","storage_keys":` + felts(keys) + `}` }
	for name, test := range map[string]struct {
		params string
		want   string // part of the message; empty means accepted
	}{
		"no params":                          {``, ""},
		"no targets":                         {`["latest"]`, ""},
		"null for no targets":                {`["latest",null,null,null]`, ""},
		"8, 8 and 16 targets":                {`["latest",` + felts(8) + `,` + felts(8) + `,` + list(contract(2), 8) + `]`, ""},
		"32 keys of two contracts":           {`["latest",[],[],` + list(contract(16), 2) + `]`, ""},
		"contracts without keys":             {`["latest",` + felts(8) + `,` + felts(8) + `,[` + contract(16) + "," + contract(0) + `]]`, ""},
		"9 class hashes":                     {`["latest",` + felts(9) + `]`, "class hashes: 9. The limit is 8."},
		"9 class hashes by name":             {`{"block_id":"latest","class_hashes":` + felts(9) + `}`, "class hashes: 9. The limit is 8."},
		"9 contract addresses":               {`["latest",[],` + felts(9) + `]`, "contract addresses: 9. The limit is 8."},
		"9 contracts with storage keys":      {`["latest",[],[],` + list(contract(1), 9) + `]`, "contracts with storage keys: 9. The limit is 8."},
		"17 keys of one contract":            {`["latest",[],[],[` + contract(17) + `]]`, "storage keys of one contract: 17. The limit is 16."},
		"33 targets with every list allowed": {`["latest",` + felts(8) + `,` + felts(8) + `,[` + contract(16) + "," + contract(1) + `]]`, "together: 33. The limit is 32."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := checkProof(json.RawMessage(test.params))
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got %v, want it accepted", err)
			case test.want != "" && (err == nil || err.Code != InvalidParams || !strings.Contains(err.Message, test.want)):
				t.Errorf("got %v, want -32602 with %q", err, test.want)
			}
		})
	}
}
