package facts

import (
	"testing"

	"astrolabe/starknet"
)

func TestActivityTellsWhatATransactionMeantForAnAddress(t *testing.T) {
	t.Parallel()
	const me, you, contract = 1000, 20, 30
	call := func(calldata ...any) Transaction { return *invoke(calldata...) }
	move := func(from, to uint64) Transfer {
		return Transfer{Standard: ERC20, Token: felt(99), From: felt(from), To: felt(to), Amount: number(1)}
	}
	in := func(tx int, address uint64, name string) Event {
		return Event{TxIndex: tx, Event: starknet.Event{FromAddress: felt(address), Keys: felts(name), Data: felts(1)}}
	}
	upgradedIn := func(tx int, address uint64) Event { return in(tx, address, "Upgraded") }
	nth := func(index int, tx Transaction) Transaction { tx.Index = index; return tx }
	reverted := call(1, contract, 71, 0)
	reverted.Reverted = true
	own := call(1, contract, 71, 1) // a form that nobody knows
	v0 := Transaction{Type: starknet.Invoke, Contract: pointer(felt(contract))}
	handler := Transaction{Type: starknet.L1Handler, Contract: pointer(felt(contract))}
	declare := Transaction{Type: starknet.Declare, Version: 3, Sender: pointer(felt(me))}
	account := Transaction{Type: starknet.DeployAccount, Version: 3, Sender: pointer(felt(me)), Contract: pointer(felt(me))}
	deployed := Deployment{Address: felt(me), TxIndex: pointer(0)}
	for name, test := range map[string]struct {
		txs         []Transaction
		transfers   []Transfer
		deployments []Deployment
		changes     []ClassChange
		events      []Event
		want        []Activity
	}{
		"a call":                {txs: []Transaction{call(1, contract, 71, 0)}, want: []Activity{{felt(contract), 0, TxReceived, 1}, {felt(me), 0, TxSent, 1}}},
		"a reverted call":       {txs: []Transaction{reverted}, want: []Activity{{felt(contract), 0, TxReceived, 1}, {felt(me), 0, TxSent, 1}}},
		"two calls of one":      {txs: []Transaction{call(2, contract, 71, 0, contract, 72, 0)}, want: []Activity{{felt(contract), 0, TxReceived, 1}, {felt(me), 0, TxSent, 1}}},
		"a call to oneself":     {txs: []Transaction{call(1, me, 71, 0)}, want: []Activity{{felt(me), 0, TxSent, 1}}},
		"a call to zero":        {txs: []Transaction{call(1, 0, 71, 0)}, want: []Activity{{felt(me), 0, TxSent, 1}}},
		"an unknown form":       {txs: []Transaction{own}, want: []Activity{{felt(me), 0, TxSent, 1}}},
		"version 0":             {txs: []Transaction{v0}, want: []Activity{{felt(contract), 0, TxReceived, 1}}},
		"L1 handler":            {txs: []Transaction{handler}, want: []Activity{{felt(contract), 0, TxReceived, 1}}},
		"declaration":           {txs: []Transaction{declare}, want: []Activity{{felt(me), 0, TxSent, 1}}},
		"a new account":         {txs: []Transaction{account}, deployments: []Deployment{deployed}, want: []Activity{{felt(me), 0, TxSent | ContractDeployed, 2}}},
		"deployed by nobody":    {deployments: []Deployment{{Address: felt(contract)}}},
		"a transfer":            {transfers: []Transfer{move(me, you)}, want: []Activity{{felt(you), 0, TransferIn, 1}, {felt(me), 0, TransferOut, 1}}},
		"to oneself":            {transfers: []Transfer{move(me, me)}, want: []Activity{{felt(me), 0, TransferSelf, 1}}},
		"minting and burning":   {transfers: []Transfer{move(0, me), move(you, 0), move(0, 0)}, want: []Activity{{felt(you), 0, TransferOut, 1}, {felt(me), 0, TransferIn, 1}}},
		"every transfer counts": {transfers: []Transfer{move(me, you), move(me, you), move(you, me)}, want: []Activity{{felt(you), 0, TransferIn | TransferOut, 3}, {felt(me), 0, TransferIn | TransferOut, 3}}},
		"all at once": {
			txs: []Transaction{call(1, contract, 71, 0)}, transfers: []Transfer{move(me, contract), move(me, you)},
			want: []Activity{{felt(you), 0, TransferIn, 1}, {felt(contract), 0, TxReceived | TransferIn, 2}, {felt(me), 0, TxSent | TransferOut, 3}},
		},
		"an upgrade": {
			changes: []ClassChange{{felt(contract), Replaced, felt(1)}},
			events:  []Event{upgradedIn(1, contract), upgradedIn(3, contract), upgradedIn(4, you)},
			want:    []Activity{{felt(contract), 3, ContractUpgraded, 1}},
		},
		"an upgrade under another name": {
			changes: []ClassChange{{felt(contract), Replaced, felt(1)}},
			events:  []Event{in(1, contract, "ImplementationReplaced"), in(2, contract, "Bumped")},
			want:    []Activity{{felt(contract), 1, ContractUpgraded, 1}},
		},
		"a silent upgrade that nobody can have made": {changes: []ClassChange{{felt(contract), Replaced, felt(1)}}, events: []Event{upgradedIn(4, you), {}}},
		"a silent upgrade by the only call": {
			txs: []Transaction{call(1, contract, 71, 0), nth(1, reverted)}, changes: []ClassChange{{felt(contract), Replaced, felt(1)}},
			want: []Activity{{felt(contract), 0, TxReceived | ContractUpgraded, 2}, {felt(contract), 1, TxReceived, 1}, {felt(me), 0, TxSent, 1}, {felt(me), 1, TxSent, 1}},
		},
		"a silent upgrade of the sender": {
			txs: []Transaction{call(1, me, 71, 0)}, changes: []ClassChange{{felt(me), Replaced, felt(1)}},
			want: []Activity{{felt(me), 0, TxSent | ContractUpgraded, 2}},
		},
		"a silent upgrade in one of several": {
			txs: []Transaction{call(1, contract, 71, 0)}, changes: []ClassChange{{felt(contract), Replaced, felt(1)}}, events: []Event{in(1, contract, "Bumped")},
			want: []Activity{{felt(contract), 0, TxReceived, 1}, {felt(me), 0, TxSent, 1}},
		},
		"deployed, not upgraded": {changes: []ClassChange{{felt(contract), Deployed, felt(1)}}, events: []Event{upgradedIn(4, contract)}},
	} {
		got := Activities(test.txs, test.transfers, test.deployments, test.changes, test.events)
		if show(got) != show(append([]Activity{}, test.want...)) {
			t.Errorf("%s: %s, want %s", name, show(got), show(test.want))
		}
	}
}

func TestActivityIsOrderedByAddressAndTransaction(t *testing.T) {
	t.Parallel()
	var transfers []Transfer
	for tx := range 50 {
		transfers = append(transfers, Transfer{TxIndex: tx, From: felt(uint64(1 + tx*7%11)), To: felt(uint64(1 + tx*5%13)), Amount: number(1)})
	}
	got := Activities(nil, transfers, nil, nil, nil)
	for i := 1; i < len(got); i++ {
		a, b := &got[i-1], &got[i]
		if order := a.Address.Cmp(b.Address); order > 0 || order == 0 && a.TxIndex >= b.TxIndex {
			t.Errorf("row %d: got %+v before %+v, want the order of addresses and transactions", i, a, b)
		}
	}
}
