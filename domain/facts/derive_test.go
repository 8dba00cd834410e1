package facts

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/starknet"
)

// blockOf makes a block of transactions with plain receipts.
func blockOf(txs ...starknet.Transaction) *starknet.BlockWithReceipts {
	block := &starknet.BlockWithReceipts{BlockHeader: starknet.BlockHeader{BlockHash: felt(1)}}
	for i, tx := range txs {
		receipt := starknet.Receipt{Type: tx.Type, TransactionHash: felt(uint64(500 + i)), ExecutionStatus: starknet.Succeeded} //nolint:gosec // A small index.
		block.Transactions = append(block.Transactions, starknet.TransactionWithReceipt{Transaction: tx, Receipt: receipt})
	}
	return block
}

func updateOf(diff starknet.StateDiff) *starknet.StateUpdate {
	return &starknet.StateUpdate{BlockHash: felt(1), StateDiff: diff}
}

func mustDerive(t *testing.T, block *starknet.BlockWithReceipts, diff starknet.StateDiff, observed ...ClassChange) Block {
	t.Helper()
	update := updateOf(diff)
	update.NewRoot = block.NewRoot
	b, err := Derive(block, update, Lookups{Classes: observed}, unknown{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTransactionsHaveTheFieldsOfTheirTypeAndVersion(t *testing.T) {
	t.Parallel()
	full := starknet.Transaction{
		SenderAddress: felt(10), ContractAddress: felt(11), EntryPointSelector: felt(12), ClassHash: felt(13), Nonce: felt(14),
		Calldata: felts(15), ConstructorCalldata: felts(16), Signature: felts(17, 18), ContractAddressSalt: felt(19),
	}
	made := full.DeployedAddress()
	for name, test := range map[string]struct {
		kind    starknet.TransactionType
		version uint64
		want    Transaction
	}{
		"INVOKE v0":         {starknet.Invoke, 0, Transaction{Contract: pointer(felt(11)), Selector: pointer(felt(12)), Calldata: felts(15)}},
		"INVOKE v1":         {starknet.Invoke, 1, Transaction{Sender: pointer(felt(10)), Nonce: pointer(felt(14)), Calldata: felts(15)}},
		"INVOKE v3":         {starknet.Invoke, 3, Transaction{Sender: pointer(felt(10)), Nonce: pointer(felt(14)), Calldata: felts(15)}},
		"DECLARE v0":        {starknet.Declare, 0, Transaction{Sender: pointer(felt(10)), Class: pointer(felt(13)), Calldata: felts(15)}},
		"DECLARE v2":        {starknet.Declare, 2, Transaction{Sender: pointer(felt(10)), Class: pointer(felt(13)), Nonce: pointer(felt(14)), Calldata: felts(15)}},
		"DEPLOY v0":         {starknet.Deploy, 0, Transaction{Contract: &made, Class: pointer(felt(13)), Calldata: felts(16)}},
		"DEPLOY_ACCOUNT v3": {starknet.DeployAccount, 3, Transaction{Sender: &made, Contract: &made, Class: pointer(felt(13)), Nonce: pointer(felt(14)), Calldata: felts(16)}},
		"L1_HANDLER v0":     {starknet.L1Handler, 0, Transaction{Contract: pointer(felt(11)), Selector: pointer(felt(12)), Nonce: pointer(felt(14)), Calldata: felts(15)}},
	} {
		tx := full
		tx.Type, tx.Version.Number = test.kind, test.version
		test.want.Hash, test.want.Type, test.want.Version = felt(500), test.kind, test.version
		test.want.Envelope = envelope(&tx)
		if got := mustDerive(t, blockOf(tx), starknet.StateDiff{}).Transactions[0]; show(got) != show(test.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, show(got), show(test.want))
		}
	}
}

func TestTransactionsHaveTheirOutcome(t *testing.T) {
	t.Parallel()
	block := blockOf(starknet.Transaction{Type: starknet.DeployAccount, Version: starknet.Version{Number: 1}})
	block.Transactions[0].Receipt = starknet.Receipt{
		TransactionHash: felt(9), ExecutionStatus: starknet.Reverted, RevertReason: "because", ContractAddress: pointer(felt(8)),
		ActualFee: starknet.FeePayment{Amount: felt(7), Unit: starknet.Fri}, ExecutionResources: starknet.ExecutionResources{L1Gas: 1, L1DataGas: 2, L2Gas: 3},
	}
	got := mustDerive(t, block, starknet.StateDiff{}).Transactions[0]
	if !got.Reverted || got.RevertReason != "because" || got.Fee != felt(7) || got.FeeUnit != starknet.Fri || got.Resources.L2Gas != 3 || *got.Sender != felt(8) || got.Hash != felt(9) {
		t.Errorf("got %+v, want it reverted with the reason because, a fee of 7 fri and 3 units of L2 gas", got)
	}
}

func TestHeadersAreCopied(t *testing.T) {
	t.Parallel()
	block := blockOf(starknet.Transaction{Type: starknet.Invoke})
	block.ParentHash, block.NewRoot, block.SequencerAddress = felt(2), felt(3), felt(4)
	block.BlockNumber, block.Timestamp, block.StarknetVersion, block.L1DAMode = 5, 6, "0.14.1", starknet.Blob
	block.L1GasPrice.PriceInFri, block.L1DataGasPrice.PriceInFri, block.L2GasPrice.PriceInWei = felt(7), felt(8), felt(9)
	block.Transactions[0].Receipt.Events = []starknet.Event{{}, {}}
	want := Header{
		Number: 5, Hash: felt(1), ParentHash: felt(2), StateRoot: felt(3), Sequencer: felt(4), Timestamp: 6, Version: "0.14.1", L1DAMode: starknet.Blob,
		L1Gas: block.L1GasPrice, L1DataGas: block.L1DataGasPrice, L2Gas: block.L2GasPrice, Transactions: 1, Events: 2, Verification: Unverified,
	}
	b := mustDerive(t, block, starknet.StateDiff{})
	if b.Header != want {
		t.Errorf("header (-want +got):\n%s", cmp.Diff(want, b.Header))
	}
	if e := b.Events[1]; e.TxIndex != 0 || e.LogIndex != 1 {
		t.Errorf("second event: got transaction %d and log %d, want 0 and 1", e.TxIndex, e.LogIndex)
	}
}

func TestMessagesOfBothDirectionsAreInOrder(t *testing.T) {
	t.Parallel()
	handler := starknet.Transaction{Type: starknet.L1Handler, ContractAddress: felt(11), EntryPointSelector: felt(12), Nonce: felt(14), Calldata: felts(20, 21, 22)}
	block := blockOf(handler, handler)
	sent := starknet.MessageToL1{FromAddress: felt(11), ToAddress: felt(30), Payload: felts(31)}
	block.Transactions[0].Receipt.MessagesSent = []starknet.MessageToL1{sent, sent}
	message, _ := handler.L1Message()
	block.Transactions[1].Receipt.MessageHash = pointer(message.HashWithoutNonce())
	in := Message{TxIndex: 0, Direction: L1ToL2, Hash: message.Hash(), From: felt(20), To: felt(11), Nonce: pointer(felt(14)), Selector: pointer(felt(12)), Payload: felts(21, 22)}
	out := Message{TxIndex: 0, Direction: L2ToL1, Hash: sent.Hash(), From: felt(11), To: felt(30), Payload: felts(31)}
	second, told := out, in
	second.Index = 1
	told.TxIndex, told.Hash = 1, message.HashWithoutNonce()
	if got, want := mustDerive(t, block, starknet.StateDiff{}).Messages, []Message{in, out, second, told}; show(got) != show(want) {
		t.Errorf("got %s\nwant %s", show(got), show(want))
	}
	block.Transactions[1].Receipt.MessageHash = &starknet.Hash256{1}
	if _, err := Derive(block, updateOf(starknet.StateDiff{}), Lookups{}, unknown{}); !errors.Is(err, ErrContradiction) {
		t.Errorf("message hash of no formula: got %v, want %v", err, ErrContradiction)
	}
}

func TestChangesAreOrderedByAddressAndTime(t *testing.T) {
	t.Parallel()
	b := mustDerive(t, blockOf(), starknet.StateDiff{
		DeployedContracts: []starknet.DeployedContract{{Address: felt(3), ClassHash: felt(33)}, {Address: felt(1), ClassHash: felt(31)}},
		ReplacedClasses:   []starknet.ReplacedClass{{ContractAddress: felt(2), ClassHash: felt(42)}, {ContractAddress: felt(1), ClassHash: felt(41)}},
	}, ClassChange{felt(2), Observed, felt(32)})
	want := []ClassChange{{felt(1), Deployed, felt(31)}, {felt(1), Replaced, felt(41)}, {felt(2), Observed, felt(32)}, {felt(2), Replaced, felt(42)}, {felt(3), Deployed, felt(33)}}
	if show(b.Changes) != show(want) {
		t.Errorf("got %s\nwant %s", show(b.Changes), show(want))
	}
	if len(b.Deployments) != 2 || b.Deployments[0].Address != felt(1) {
		t.Errorf("got %v, want two deployments, the first of 0x1", b.Deployments)
	}
}

func TestDeclarationsNameTheirTransaction(t *testing.T) {
	t.Parallel()
	declare := func(class uint64) starknet.Transaction {
		return starknet.Transaction{Type: starknet.Declare, ClassHash: felt(class)}
	}
	block := blockOf(declare(7), declare(7), declare(5), declare(4))
	block.Transactions[0].Receipt.ExecutionStatus = starknet.Reverted
	b := mustDerive(t, block, starknet.StateDiff{
		DeprecatedDeclaredClasses: felts(9, 5, 5),
		DeclaredClasses:           []starknet.DeclaredClass{{ClassHash: felt(7), CompiledClassHash: felt(77)}},
	})
	want := []Declaration{{Class: felt(5), TxIndex: pointer(2)}, {Class: felt(7), Compiled: pointer(felt(77)), TxIndex: pointer(1)}, {Class: felt(9)}}
	if show(b.Declarations) != show(want) {
		t.Errorf("got %s\nwant %s", show(b.Declarations), show(want))
	}
}

func TestContradictionsAreRejected(t *testing.T) {
	t.Parallel()
	twice := []starknet.DeployedContract{{Address: felt(1)}, {Address: felt(1)}}
	replaced := []starknet.ReplacedClass{{ContractAddress: felt(1)}, {ContractAddress: felt(1), ClassHash: felt(2)}}
	for name, test := range map[string]struct {
		update   *starknet.StateUpdate
		observed []ClassChange
		txs      []starknet.Transaction
	}{
		"another block":      {update: &starknet.StateUpdate{BlockHash: felt(2)}},
		"another state":      {update: &starknet.StateUpdate{BlockHash: felt(1), NewRoot: felt(2)}},
		"deployed twice":     {update: updateOf(starknet.StateDiff{DeployedContracts: twice})},
		"replaced twice":     {update: updateOf(starknet.StateDiff{ReplacedClasses: replaced})},
		"observed twice":     {update: updateOf(starknet.StateDiff{}), observed: []ClassChange{{felt(1), Observed, felt(2)}, {felt(1), Observed, felt(3)}}},
		"declared as both":   {update: updateOf(starknet.StateDiff{DeprecatedDeclaredClasses: felts(1), DeclaredClasses: []starknet.DeclaredClass{{ClassHash: felt(1)}}})},
		"a message from L1":  {update: updateOf(starknet.StateDiff{}), txs: []starknet.Transaction{{Type: starknet.L1Handler}}},
		"two compiled forms": {update: updateOf(starknet.StateDiff{DeclaredClasses: []starknet.DeclaredClass{{ClassHash: felt(1)}, {ClassHash: felt(1), CompiledClassHash: felt(2)}}})},
	} {
		if _, err := Derive(blockOf(test.txs...), test.update, Lookups{Classes: test.observed}, unknown{}); !errors.Is(err, ErrContradiction) {
			t.Errorf("%s: got %v, want %v", name, err, ErrContradiction)
		}
	}
}

func TestBlocksThatCannotBeStoredAreRejected(t *testing.T) {
	t.Parallel()
	invoke := starknet.Transaction{Type: starknet.Invoke}
	batch := func(transfers int) []starknet.Felt {
		half := append(felts(transfers), make([]starknet.Felt, 2*transfers)...)
		return append(half, half...)
	}
	event := func(data []starknet.Felt) starknet.Event {
		return starknet.Event{Keys: felts("TransferBatch", 5, 7, 8), Data: data}
	}
	for name, test := range map[string]struct {
		change func(*starknet.BlockWithReceipts, *starknet.TransactionWithReceipt)
		large  bool
	}{
		"block number": {func(b *starknet.BlockWithReceipts, _ *starknet.TransactionWithReceipt) { b.BlockNumber = math.MaxInt32 }, false},
		"large block number": {func(b *starknet.BlockWithReceipts, _ *starknet.TransactionWithReceipt) {
			b.BlockNumber = math.MaxInt32 + 1
		}, true},
		"timestamp": {func(b *starknet.BlockWithReceipts, _ *starknet.TransactionWithReceipt) {
			b.Timestamp = maxTimestamp + 1
		}, true},
		"transactions": {func(b *starknet.BlockWithReceipts, _ *starknet.TransactionWithReceipt) {
			b.Transactions = make([]starknet.TransactionWithReceipt, maxCount+1)
		}, true},
		"events": {func(_ *starknet.BlockWithReceipts, p *starknet.TransactionWithReceipt) {
			p.Receipt.Events = make([]starknet.Event, maxCount+1)
		}, true},
		"as many events": {func(_ *starknet.BlockWithReceipts, p *starknet.TransactionWithReceipt) {
			p.Receipt.Events = make([]starknet.Event, maxCount)
		}, false},
		"keys": {func(_ *starknet.BlockWithReceipts, p *starknet.TransactionWithReceipt) {
			p.Receipt.Events = []starknet.Event{{Keys: make([]starknet.Felt, maxCount+1)}}
		}, true},
		"messages": {func(_ *starknet.BlockWithReceipts, p *starknet.TransactionWithReceipt) {
			p.Receipt.MessagesSent = make([]starknet.MessageToL1, maxCount+1)
		}, true},
		"signature": {func(_ *starknet.BlockWithReceipts, p *starknet.TransactionWithReceipt) {
			p.Transaction.Signature = make([]starknet.Felt, maxCount+1)
		}, true},
		"version": {func(_ *starknet.BlockWithReceipts, p *starknet.TransactionWithReceipt) {
			p.Transaction.Version.Number = math.MaxInt16 + 1
		}, true},
		"gas": {func(_ *starknet.BlockWithReceipts, p *starknet.TransactionWithReceipt) {
			p.Receipt.ExecutionResources.L2Gas = math.MaxInt64 + 1
		}, true},
		"transfers": {func(_ *starknet.BlockWithReceipts, p *starknet.TransactionWithReceipt) {
			p.Receipt.Events = []starknet.Event{event(batch(maxCount + 1))}
		}, true},
		"as many transfers": {func(_ *starknet.BlockWithReceipts, p *starknet.TransactionWithReceipt) {
			p.Receipt.Events = []starknet.Event{event(batch(maxCount))}
		}, false},
		"many items of an address": {func(_ *starknet.BlockWithReceipts, p *starknet.TransactionWithReceipt) {
			p.Receipt.Events = []starknet.Event{event(batch(maxCount)), event(batch(1))}
		}, false},
	} {
		block := blockOf(invoke)
		test.change(block, &block.Transactions[0])
		_, err := Derive(block, updateOf(starknet.StateDiff{}), Lookups{}, unknown{})
		if errors.Is(err, ErrTooLarge) != test.large || !test.large && err != nil {
			t.Errorf("%s: got %v, want too large: %v", name, err, test.large)
		}
	}
}
