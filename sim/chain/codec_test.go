package chain

import (
	"reflect"
	"testing"

	"astrolabe/starknet"
)

func sampleBlock() *Block {
	one, big := starknet.FeltFromUint64(1), starknet.MustFelt("0x7abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234567")
	hash := starknet.Hash256{0xff, 31: 9}
	b := &Block{
		Header: starknet.BlockHeader{BlockHash: big, ParentHash: one, NewRoot: big, PreConfirmedHeader: starknet.PreConfirmedHeader{
			BlockNumber: 7, Timestamp: 1 << 40, L1DAMode: starknet.Blob, StarknetVersion: "0.14.1",
		}},
		Transactions: []starknet.Transaction{{
			Hash: one, Type: starknet.Invoke, Version: starknet.Version{Number: 3}, Calldata: []starknet.Felt{big, one, {}}, Tip: 1 << 63,
			Signature: []starknet.Felt{}, ConstructorCalldata: []starknet.Felt{}, PaymasterData: []starknet.Felt{}, AccountDeploymentData: []starknet.Felt{}, ProofFacts: []starknet.Felt{big},
			ResourceBounds: starknet.ResourceBounds{L2Gas: starknet.ResourceBound{MaxAmount: 5, MaxPricePerUnit: starknet.Uint128{Hi: 1, Lo: 2}}},
		}},
		Receipts: []starknet.Receipt{{
			Type: starknet.L1Handler, TransactionHash: one, FinalityStatus: starknet.AcceptedOnL2, ExecutionStatus: starknet.Reverted, RevertReason: "because",
			ActualFee: starknet.FeePayment{Amount: big, Unit: starknet.Fri}, ExecutionResources: starknet.ExecutionResources{L1Gas: 1, L1DataGas: 2, L2Gas: 3},
			MessagesSent: []starknet.MessageToL1{{FromAddress: one, ToAddress: big, Payload: []starknet.Felt{big}}},
			Events:       []starknet.Event{{FromAddress: big, Keys: []starknet.Felt{big}, Data: []starknet.Felt{}}},
			MessageHash:  &hash, ContractAddress: &big,
		}},
	}
	b.StateUpdate = starknet.StateUpdate{BlockHash: big, OldRoot: one, NewRoot: big, StateDiff: starknet.StateDiff{
		StorageDiffs:              []starknet.StorageDiff{{Address: big, StorageEntries: []starknet.StorageEntry{{Key: one, Value: big}}}},
		DeprecatedDeclaredClasses: []starknet.Felt{one},
		DeclaredClasses:           []starknet.DeclaredClass{{ClassHash: one, CompiledClassHash: big}},
		DeployedContracts:         []starknet.DeployedContract{{Address: one, ClassHash: big}},
		ReplacedClasses:           []starknet.ReplacedClass{{ContractAddress: one, ClassHash: big}},
		Nonces:                    []starknet.NonceUpdate{{ContractAddress: big, Nonce: one}},
	}}
	b.Foreign = []Foreign{{Hash: big, Class: starknet.Class{Sierra: &starknet.SierraClass{SierraProgram: []starknet.Felt{one}, ABI: "[]"}}}}
	return b
}

func TestBlocksSurviveTheirRecording(t *testing.T) {
	t.Parallel()
	want := Entry{sampleBlock(), 1, []byte("{}")}
	text, err := packEntry(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := unpackEntry(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func FuzzUnpackEntry(f *testing.F) {
	text, err := packEntry(Entry{sampleBlock(), 1, []byte("{}")})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := unpackEntry(text)
		if err != nil {
			return
		}
		again, err := packEntry(e)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := unpackEntry(again); err != nil || !reflect.DeepEqual(e, second) {
			t.Errorf("written and read again: got %+v, %v, want %+v", second, err, e)
		}
	})
}
