package rpc

import (
	"encoding/json"
	"testing"

	"astrolabe/starknet"
)

// TestBlocksAreWrittenAsTheOrdinaryEncoderDoes compares the hand-written JSON of a block
// with the standard library's.
func TestBlocksAreWrittenAsTheOrdinaryEncoderDoes(t *testing.T) {
	t.Parallel()
	one, address, hash := starknet.FeltFromUint64(1), starknet.MustFelt("0xabc"), starknet.Hash256{0xff, 31: 1}
	receipts := []starknet.Receipt{
		{
			Type: starknet.L1Handler, TransactionHash: one, ActualFee: starknet.FeePayment{Amount: one, Unit: starknet.Wei},
			ExecutionStatus: starknet.Reverted, RevertReason: "a \"reason\" < with\nlines", FinalityStatus: starknet.AcceptedOnL1,
			MessagesSent: []starknet.MessageToL1{}, Events: []starknet.Event{}, MessageHash: &hash,
		},
		{
			Type: starknet.DeployAccount, TransactionHash: address, ActualFee: starknet.FeePayment{Unit: starknet.Fri},
			ExecutionStatus: starknet.Succeeded, FinalityStatus: starknet.AcceptedOnL2, ContractAddress: &address,
			MessagesSent:       []starknet.MessageToL1{{FromAddress: one, ToAddress: address, Payload: []starknet.Felt{one, {}}}, {Payload: []starknet.Felt{}}},
			Events:             []starknet.Event{{FromAddress: one, Keys: []starknet.Felt{one}, Data: []starknet.Felt{}}, {Keys: []starknet.Felt{}, Data: []starknet.Felt{one}}},
			ExecutionResources: starknet.ExecutionResources{L1Gas: 1, L1DataGas: 2, L2Gas: 1 << 60},
		},
	}
	pairs := pairList{}
	for i := range receipts {
		pairs = append(pairs, starknet.TransactionWithReceipt{Transaction: starknet.Transaction{Type: starknet.Invoke, Version: starknet.Version{Number: 3}, Tip: 5}, Receipt: receipts[i]})
	}
	for _, list := range []pairList{{}, pairs[:1], pairs} {
		answer := response{Version: "2.0", ID: json.RawMessage("7"), Result: sealedBlock{Status: starknet.AcceptedOnL2, Transactions: list}}
		plain := answer
		plain.Result = sealedBlock{Status: starknet.AcceptedOnL2, Transactions: []starknet.TransactionWithReceipt(list)}
		want, err := marshal(plain)
		if err != nil {
			t.Fatal(err)
		}
		if got := encode(answer); string(got) != string(want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
