package rest

import (
	"math/big"
	"net/url"
	"slices"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/bridge"
	"astrolabe/domain/facts"
	"astrolabe/repo/repotest"
	"astrolabe/rest/frame"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
	"astrolabe/starknet"
)

// bridgesOf are the bridges of the simulated chain, with the two sides of what
// each moves; the one for many tokens has none.
func bridgesOf(t *testing.T) map[starknet.Felt][2]string {
	t.Helper()
	node := simtest.New(t, sim.Config{Blocks: 1})
	sides := map[string][2]string{
		"STRK bridge": {"STRK", "0xca14007eff0db1f8135f4c25b34de49ab0d42766"}, "ETH bridge": {"ETH", "0x455448"},
		"USDC bridge": {"USDC.e", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"}, "USDT bridge": {"USDT", "0xdac17f958d2ee523a2206206994597c13d831ec7"},
		"WBTC bridge": {"WBTC", "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599"}, "multi-token bridge": {},
	}
	tokens, bridges := map[string]string{}, map[starknet.Felt][2]string{}
	for _, contract := range node.Directory() {
		tokens[contract.Name] = contract.Address.String()
	}
	for name, side := range sides {
		bridges[starknet.MustFelt(tokens[name])] = [2]string{tokens[side[0]], side[1]}
	}
	return bridges
}

// everySignal makes the signals of the chain's bridges, newest first, from the
// events and messages of its blocks alone.
func everySignal(t *testing.T, of starknet.Felt, sides [2]string) (list []bridgeSignalItem) {
	t.Helper()
	for _, block := range repotest.Everyday(t) {
		for _, e := range block.Events {
			if e.FromAddress != of || len(e.Keys) == 0 {
				continue
			}
			item := bridgeSignalItem{
				BlockNumber: block.Header.Number, TimestampIso: time.Unix(int64(block.Header.Timestamp), 0).UTC(), TxIndex: e.TxIndex, LogIndex: e.LogIndex,
				TxHash: block.Transactions[e.TxIndex].Hash, Protocol: "starkgate", PairingConfidence: "message_paired", Direction: "inbound",
			}
			var amount []starknet.Felt
			switch e.Keys[0] {
			case starknet.Selector("DepositHandled"):
				item.EventName, item.L1Token, item.Account, amount = "DepositHandled", &e.Keys[1], &e.Keys[2], e.Data
			case starknet.Selector("DepositWithMessageHandled"):
				item.EventName, item.L1Token, item.Account, amount = "DepositWithMessageHandled", &e.Keys[2], &e.Keys[3], e.Data
			case starknet.Selector("WithdrawInitiated"):
				item.EventName, item.L1Token, item.Account, amount = "WithdrawInitiated", &e.Keys[1], &e.Keys[3], e.Data
				item.Direction = "outbound"
			case starknet.Selector("deposit_handled"):
				item.EventName, item.L1Token, item.Account, amount = "deposit_handled", new(starknet.MustFelt(sides[1])), &e.Data[0], e.Data[1:]
			case starknet.Selector("withdraw_initiated"):
				item.EventName, item.L1Token, item.Account, amount = "withdraw_initiated", new(starknet.MustFelt(sides[1])), &e.Data[3], e.Data[1:]
				item.Direction = "outbound"
			default:
				continue
			}
			item.Amount = new(new(big.Int).Add(amount[0].Big(), new(big.Int).Lsh(amount[1].Big(), 128)).String())
			if item.L1Token.String() == sides[1] {
				item.TokenAddress = new(starknet.MustFelt(sides[0]))
			}
			// In the simulated chain each signal's amount occurs in the payload of its message.
			for _, m := range block.Messages {
				ours := m.From == of && m.Direction == facts.L2ToL1 && item.Direction == "outbound" || m.To == of && m.Direction == facts.L1ToL2 && item.Direction == "inbound"
				if m.TxIndex == e.TxIndex && ours && slices.Contains(m.Payload, amount[0]) {
					item.MessageHash = &m.Hash
				}
			}
			list = append(list, item)
		}
	}
	slices.Reverse(list)
	return list
}

func TestBridgeSignalsMatchTheEventsOfBridges(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	seen := map[string]bool{}
	for address, sides := range bridgesOf(t) {
		want := everySignal(t, address, sides)
		for _, item := range want {
			seen[item.EventName] = true
		}
		path := "/v1/SN_MAIN/contract/" + address.String() + "/bridge-signals"
		for _, limit := range []int{1, 7, 100} {
			if got := walk[bridgeSignalItem](s, path, nil, limit); len(got)+len(want) > 0 {
				requireEqual(t, path, got, want)
			}
		}
	}
	if len(seen) != 5 {
		t.Errorf("got the events %v, want all 5", seen)
	}
}

func TestASignalIsPairedWithTheMessageOfItsTransaction(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	path := "/v1/SN_MAIN/contract/" + frame.ContractParam.Example + "/bridge-signals"
	signals := walk[bridgeSignalItem](s, path, nil, 100)
	for _, signal := range signals {
		found := walk[messageItem](s, "/v1/SN_MAIN/messages", url.Values{"txHash": {signal.TxHash.String()}, "messageHash": {signal.MessageHash.String()}}, 100)
		if signal.PairingConfidence != bridge.MessagePaired || len(found) == 0 {
			t.Errorf("%s of %s: got %s with %d messages, want %s with its message", signal.EventName, signal.TxHash, signal.PairingConfidence, len(found), bridge.MessagePaired)
		}
	}
	// Without its message, or with another one, an event stands alone.
	if _, err := conn.Exec(t.Context(), "UPDATE messages SET payload = substr(payload, 33) WHERE to_l1; DELETE FROM messages WHERE NOT to_l1"); err != nil {
		t.Fatal(err)
	}
	alone := walk[bridgeSignalItem](s, path, nil, 100)
	if len(alone) != len(signals) {
		t.Errorf("got %d signals without their messages, want %d", len(alone), len(signals))
	}
	for _, signal := range alone {
		if signal.PairingConfidence != bridge.EventOnly || signal.MessageHash != nil || signal.Amount == nil {
			t.Errorf("got %s, want %s with an amount but no message", encodeText(signal), bridge.EventOnly)
		}
	}
}

func TestSignalsOfAnUnknownContractAreUnavailable(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	for address, want := range map[string]coverageBody{
		frame.ContractParam.Example:                                         {Status: domain.CoverageExact},
		"0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d": {Status: domain.CoverageUnavailable, ReasonCode: new(bridge.ReasonNotRegistered)},
		"0x123": {Status: domain.CoverageUnavailable, ReasonCode: new(bridge.ReasonNotRegistered)},
	} {
		got := read[coveredList[bridgeSignalItem]](s, "/v1/SN_MAIN/contract/"+address+"/bridge-signals")
		if got.Coverage.Status != want.Status || (got.Coverage.ReasonCode == nil) != (want.ReasonCode == nil) || (want.ReasonCode != nil) != (len(got.Items) == 0) {
			t.Errorf("%s: got %s with %d items, want %s", address, encodeText(got.Coverage), len(got.Items), encodeText(want))
		}
	}
}

// TestSameEventOfAnotherContractIsNotASignal lets the bridge's events come
// from a contract that is none.
func TestSameEventOfAnotherContractIsNotASignal(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	strk := starknet.MustFelt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d")
	if _, err := conn.Exec(t.Context(), "UPDATE events SET address = (SELECT id FROM addresses WHERE felt = $1 AND chain = 1)", strk[:]); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{strk.String(), frame.ContractParam.Example} {
		if got := walk[bridgeSignalItem](s, "/v1/SN_MAIN/contract/"+address+"/bridge-signals", nil, 100); len(got) > 0 {
			t.Errorf("%s: got %d signals, want none", address, len(got))
		}
	}
}
