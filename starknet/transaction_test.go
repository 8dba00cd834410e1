package starknet

import (
	"encoding/json"
	"errors"
	"testing"
)

// transactionVector is a transaction of a public chain with its hash, and for some the
// hash with the query bit.
type transactionVector struct {
	Name        string          `json:"name"`
	Chain       string          `json:"chain"`
	Hash        Felt            `json:"hash"`
	QueryHash   *Felt           `json:"query_hash"`
	Transaction json.RawMessage `json:"transaction"`
}

func TestTransactionHashesOfEveryVersion(t *testing.T) {
	t.Parallel()
	var vectors []transactionVector
	readJSON(t, "testdata/transactions.json", &vectors)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			var tx Transaction
			if err := json.Unmarshal(v.Transaction, &tx); err != nil {
				t.Fatal(err)
			}
			chain := MustShortString(v.Chain)
			if !tx.HasHash(chain, v.Hash) {
				t.Errorf("got another hash, want %v", v.Hash)
			}
			if tx.HasHash(chain, FeltFromUint64(1)) {
				t.Error("got the hash 0x1 accepted, want it refused")
			}
			written, err := json.Marshal(tx)
			if err != nil {
				t.Fatal(err)
			}
			if diff := jsonDifference(v.Transaction, written); diff != "" {
				t.Errorf("after a round trip: %s", diff)
			}
			if v.QueryHash == nil {
				return
			}
			tx.Version.Query = true
			if got, err := tx.ComputeHash(chain); err != nil || got != *v.QueryHash {
				t.Errorf("with the query bit: %v, %v, want %v", got, err, v.QueryHash)
			}
		})
	}
}

func TestVersionKeepsItsQueryBit(t *testing.T) {
	t.Parallel()
	var v Version
	if err := v.UnmarshalText([]byte("0x100000000000000000000000000000003")); err != nil || v != (Version{3, true}) {
		t.Fatalf("got %+v, %v, want %+v", v, err, Version{3, true})
	}
	if v.String() != "0x100000000000000000000000000000003" {
		t.Errorf("got %v, want 0x100000000000000000000000000000003", v)
	}
	for _, text := range []string{"0x200000000000000000000000000000003", "0x10000000000000000", "0x1000000000000000000000000000000000"} {
		if err := v.UnmarshalText([]byte(text)); !errors.Is(err, ErrFeltRange) {
			t.Errorf("%s: got %v, want %v", text, err, ErrFeltRange)
		}
	}
}

func TestTransactionThatDoesNotExistIsRefused(t *testing.T) {
	t.Parallel()
	for _, tx := range []Transaction{{}, {Type: Invoke, Version: Version{Number: 2}}, {Type: "BURN", Version: Version{Number: 3}}} {
		if _, err := tx.ComputeHash(Felt{}); !errors.Is(err, ErrUnknownTransaction) {
			t.Errorf("hash of %s %v: got %v, want %v", tx.Type, tx.Version, err, ErrUnknownTransaction)
		}
		if _, err := json.Marshal(tx); !errors.Is(err, ErrUnknownTransaction) {
			t.Errorf("JSON of %s %v: got %v, want %v", tx.Type, tx.Version, err, ErrUnknownTransaction)
		}
		if tx.HasHash(Felt{}, Felt{}) {
			t.Errorf("%s %v: got a hash, want none", tx.Type, tx.Version)
		}
	}
}

func TestFromIsWhoPays(t *testing.T) {
	t.Parallel()
	sender := FeltFromUint64(7)
	account := Transaction{Type: DeployAccount, Version: Version{Number: 3}, ClassHash: FeltFromUint64(1)}
	for _, c := range []struct {
		tx   Transaction
		want Felt
		ok   bool
	}{
		{Transaction{Type: Invoke, Version: Version{Number: 3}, SenderAddress: sender}, sender, true},
		{Transaction{Type: Declare, SenderAddress: sender}, sender, true},
		{account, account.DeployedAddress(), true},
		{Transaction{Type: Invoke, ContractAddress: sender}, Felt{}, false},
		{Transaction{Type: L1Handler, ContractAddress: sender}, Felt{}, false},
		{Transaction{Type: Deploy}, Felt{}, false},
	} {
		if got, ok := c.tx.From(); got != c.want || ok != c.ok {
			t.Errorf("%s %v: From(): got %v, %v, want %v, %v", c.tx.Type, c.tx.Version, got, ok, c.want, c.ok)
		}
	}
}

func TestBroadcastedDeclarationGetsItsClassHash(t *testing.T) {
	t.Parallel()
	const text = `{"type":"DECLARE","version":"0x3","nonce":"0x1","proof":"AAAA","contract_class":{"sierra_program":["0x1"],"contract_class_version":"0.1.0","entry_points_by_type":{"CONSTRUCTOR":[],"EXTERNAL":[],"L1_HANDLER":[]},"abi":"[]"}}`
	var b BroadcastedTransaction
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	if b.Transaction.ClassHash != b.Class.Hash() || b.Proof != "AAAA" || b.Transaction.Nonce != FeltFromUint64(1) {
		t.Errorf("got %+v, want the class hash %v, the proof AAAA and the nonce 1", b, b.Class.Hash())
	}
	for _, bad := range []string{`{"nonce":"x"}`, `{"contract_class":{"abi":7}}`} {
		if err := json.Unmarshal([]byte(bad), &b); err == nil {
			t.Errorf("%s: got a transaction, want an error", bad)
		}
	}
}

func TestNarrowNumbersRefuseMore(t *testing.T) {
	t.Parallel()
	var bound ResourceBound
	for _, text := range []string{
		`{"max_amount":"0x10000000000000000","max_price_per_unit":"0x0"}`,
		`{"max_amount":"0x0","max_price_per_unit":"0x100000000000000000000000000000000"}`,
	} {
		if err := json.Unmarshal([]byte(text), &bound); !errors.Is(err, ErrUintRange) {
			t.Errorf("%s: got %v, want %v", text, err, ErrUintRange)
		}
	}
}

func FuzzTransactionJSON(f *testing.F) {
	var vectors []transactionVector
	readJSON(f, "testdata/transactions.json", &vectors)
	for _, v := range vectors {
		f.Add([]byte(v.Transaction))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var tx Transaction
		if json.Unmarshal(text, &tx) != nil {
			return
		}
		written, err := json.Marshal(tx)
		if err != nil {
			if !errors.Is(err, ErrUnknownTransaction) {
				t.Fatal(err)
			}
			return
		}
		var again Transaction
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatalf("%s does not read back: %v", written, err)
		}
		twice, err := json.Marshal(again)
		if err != nil || string(twice) != string(written) {
			t.Fatalf("got %s, %v, want %s", twice, err, written)
		}
	})
}
