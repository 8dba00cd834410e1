package bridge

import (
	"encoding/json"
	"fmt"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/sim/classes"
	"astrolabe/sim/economy"
	"astrolabe/starknet"
)

// TestTheRegistryKnowsTheSimulatedBridges keeps the demo's bridges readable.
func TestTheRegistryKnowsTheSimulatedBridges(t *testing.T) {
	t.Parallel()
	for _, c := range domain.Chains {
		n, err := economy.NetworkNamed(string(c))
		if err != nil {
			t.Fatal(err)
		}
		for address, token := range map[starknet.Felt]*starknet.Felt{
			n.StrkBridge: &n.Strk, n.EthBridge: &n.Eth, n.UsdcBridge: &n.UsdcBridged, n.UsdtBridge: &n.Usdt, n.BtcBridge: &n.Wbtc, n.MultiBridge: nil,
		} {
			b, known := Known(c, address)
			if !known || (token == nil) != (b.Token == nil) || token != nil && *b.Token != *token || (b.Token == nil) != (b.L1Token == nil) {
				t.Errorf("%s on %s: got known %v and %+v, want the bridge of %v", address, c, known, b, token)
			}
		}
	}
	if _, known := Known(domain.Mainnet, starknet.MustFelt("0x4c5772d1914fe6ce891b64eb35bf3522aeae1315647314aac58b01137607f3f")); known {
		t.Error("got a bridge of Sepolia on mainnet, want none")
	}
}

func class(t *testing.T, name string) *facts.Class {
	t.Helper()
	all, err := classes.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Name == name {
			var document starknet.Class
			if err := json.Unmarshal(c.Document, &document); err != nil {
				t.Fatal(err)
			}
			return facts.NewClass(c.Hash, document)
		}
	}
	t.Fatalf("got no class %s, want one", name)
	return nil
}

// TestAValueIsNullUnlessPayloadAndClassAgree reads one event by several
// classes and in several shapes.
func TestAValueIsNullUnlessPayloadAndClassAgree(t *testing.T) {
	t.Parallel()
	n := starknet.FeltFromUint64
	token := starknet.MustFelt("0xca14007eff0db1f8135f4c25b34de49ab0d42766")
	deposit := []starknet.Felt{starknet.Selector("DepositHandled"), token, n(7)}
	b, _ := Known(domain.Mainnet, starknet.MustFelt("0x594c1582459ea03f77deaf9eb7e3917d6994a03c13405ba42867f83d85f085d"))
	declares, other := class(t, "token_bridge"), class(t, "erc20_keyed")
	changed := changedDeposit(t)
	large := starknet.MustFelt("0x100000000000000000000000000000000")
	for name, c := range map[string]struct {
		keys, data    []starknet.Felt
		before, after *facts.Class
		amount        string
	}{
		"declared":               {deposit, []starknet.Felt{n(5), n(0)}, declares, declares, "5"},
		"both halves":            {deposit, []starknet.Felt{n(5), n(1)}, declares, declares, "340282366920938463463374607431768211461"},
		"class unknown":          {deposit, []starknet.Felt{n(5), n(0)}, nil, nil, "5"},
		"class does not mention": {deposit, []starknet.Felt{n(5), n(0)}, other, other, "5"},
		"class says otherwise":   {deposit, []starknet.Felt{n(5), n(0)}, changed, changed, ""},
		"class replaced":         {deposit, []starknet.Felt{n(5), n(0)}, declares, changed, ""},
		"too short":              {deposit, []starknet.Felt{n(5)}, nil, nil, ""},
		"too long":               {deposit, []starknet.Felt{n(5), n(0), n(0)}, nil, nil, ""},
		"too few keys":           {deposit[:2], []starknet.Felt{n(5), n(0)}, nil, nil, ""},
		"half too large":         {deposit, []starknet.Felt{large, n(0)}, nil, nil, ""},
		"old":                    {[]starknet.Felt{starknet.Selector("deposit_handled")}, []starknet.Felt{n(9), n(5), n(0)}, nil, nil, "5"},
		"with message":           {[]starknet.Felt{starknet.Selector("DepositWithMessageHandled"), n(1), token, n(7)}, []starknet.Felt{n(5), n(0), n(1), n(3)}, declares, declares, "5"},
		"message cut off":        {[]starknet.Felt{starknet.Selector("DepositWithMessageHandled"), n(1), token, n(7)}, []starknet.Felt{n(5), n(0), n(2), n(3)}, declares, declares, ""},
	} {
		s := b.read(&event.Row{Keys: c.keys, Data: c.data}, facts.Runtime{Before: c.before, After: c.after})
		got := ""
		if s.Amount != nil {
			got = s.Amount.String()
		}
		if got != c.amount || (s.Account == nil) != (s.Amount == nil) || (s.Token == nil) != (s.Amount == nil) || s.Direction != Inbound {
			t.Errorf("%s: got %+v, want the amount %q", name, s, c.amount)
		}
	}
}

// changedDeposit is a class whose DepositHandled has an amount of one felt.
func changedDeposit(t *testing.T) *facts.Class {
	t.Helper()
	member := func(name, kind string) string {
		return fmt.Sprintf(`{"name": %q, "type": "core::felt252", "kind": %q}`, name, kind)
	}
	return facts.StoredClass(starknet.FeltFromUint64(1), true, []byte(`[
		{"type": "event", "name": "m::DepositHandled", "kind": "struct", "members": [`+
		member("l1_token", "key")+","+member("l2_recipient", "key")+","+member("amount", "data")+`]},
		{"type": "event", "name": "m::Event", "kind": "enum", "variants": [{"name": "DepositHandled", "type": "m::DepositHandled", "kind": "nested"}]}]`), false)
}

// FuzzABridgesEventIsReadOrLeftNull gives every layout arbitrary payloads.
func FuzzABridgesEventIsReadOrLeftNull(f *testing.F) {
	f.Add(uint8(0), uint8(2), []byte{31: 5, 63: 0})
	f.Add(uint8(3), uint8(0), make([]byte, 96))
	f.Add(uint8(1), uint8(3), make([]byte, 32*8))
	names := []string{"DepositHandled", "DepositWithMessageHandled", "WithdrawInitiated", "deposit_handled", "withdraw_initiated"}
	f.Fuzz(func(t *testing.T, which, keys uint8, payload []byte) {
		row := &event.Row{Keys: []starknet.Felt{starknet.Selector(names[int(which)%len(names)])}}
		for ; len(payload) >= 32; payload = payload[32:] {
			felt, err := starknet.FeltFromBytes(payload[:32])
			if err != nil {
				return
			}
			if len(row.Keys) <= int(keys) {
				row.Keys = append(row.Keys, felt)
			} else {
				row.Data = append(row.Data, felt)
			}
		}
		s := Bridge{}.read(row, facts.Runtime{})
		if (s.Amount == nil) != (s.Account == nil) || s.Event == "" {
			t.Errorf("%+v: got %+v, want an event, with both amount and account or neither", row, s)
		}
		s.pair([]chain.Message{{Message: facts.Message{Direction: facts.L1ToL2, Payload: row.Data}}, {Message: facts.Message{Direction: facts.L2ToL1, Payload: row.Data}}})
	})
}
