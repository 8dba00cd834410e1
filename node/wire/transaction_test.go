package wire

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/starknet"
)

// everyField is the values of all fields that a transaction can have.
var everyField = map[string]any{
	"transaction_hash": "0x1", "sender_address": "0x2", "contract_address": "0x3", "entry_point_selector": "0x4", "calldata": []any{"0x5"},
	"nonce": "0x6", "max_fee": "0x7", "signature": []any{"0x8"}, "class_hash": "0x9", "compiled_class_hash": "0xa",
	"contract_address_salt": "0xb", "constructor_calldata": []any{"0xc"}, "tip": "0xd", "paymaster_data": []any{"0xe"},
	"account_deployment_data": []any{"0xf"}, "proof_facts": []any{"0x10"},
	"nonce_data_availability_mode": "L2", "fee_data_availability_mode": "L2",
	"resource_bounds": map[string]any{
		"l1_gas":      map[string]any{"max_amount": "0x11", "max_price_per_unit": "0x12"},
		"l2_gas":      map[string]any{"max_amount": "0x13", "max_price_per_unit": "0x14"},
		"l1_data_gas": map[string]any{"max_amount": "0x15", "max_price_per_unit": "0x16"},
	},
}

// TestFieldsForeignToATransactionAreDropped reads a transaction of each type and
// version that has the fields of all.
func TestFieldsForeignToATransactionAreDropped(t *testing.T) {
	t.Parallel()
	for kind, needed := range transactionNeeds {
		own := needed | transactionShape.needed | transactionShape.set("transaction_hash")
		if kind.kind == starknet.Invoke && kind.version == 3 {
			own |= transactionShape.set("proof_facts")
		}
		all, proper := map[string]any{}, map[string]any{}
		for i, m := range transactionShape.members {
			all[m.name] = everyField[m.name]
			switch m.name {
			case "type":
				all[m.name] = kind.kind
			case "version":
				all[m.name] = fmt.Sprintf("%#x", kind.version)
			}
			if own&(1<<i) != 0 {
				proper[m.name] = all[m.name]
			}
		}
		if diff := cmp.Diff(readWhole(t, proper), readWhole(t, all)); diff != "" {
			t.Errorf("%s version %d (-want +got):\n%s", kind.kind, kind.version, diff)
		}
	}
}

func readWhole(t *testing.T, fields map[string]any) starknet.Transaction {
	t.Helper()
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := decode(text, func(r *reader) (tx transaction) {
		readTransaction(r, &tx)
		return tx
	})
	if err != nil {
		t.Fatal(err)
	}
	return tx
}
