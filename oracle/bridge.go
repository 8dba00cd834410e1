package oracle

import (
	"math/big"
	"slices"

	"astrolabe/sim/economy"
	"astrolabe/starknet"
)

// bridge is a contract of StarkGate. token and l1Token are the tokens that it
// moves, nil if there are several.
type bridge struct {
	token, l1Token *starknet.Felt
}

// signalLayout is an event of a bridge: the indexes of its values in the felts
// after the first key, -1 if absent.
type signalLayout struct {
	direction                              string
	keys, data                             int
	l1Token, account, recipient, amountLow int
}

var signalLayouts = map[string]signalLayout{
	"DepositHandled":            {"inbound", 3, 2, 0, 1, -1, 2},
	"DepositWithMessageHandled": {"inbound", 4, 3, 1, 2, -1, 3}, // and the message
	"WithdrawInitiated":         {"outbound", 4, 2, 0, 2, 1, 3},
	"deposit_handled":           {"inbound", 1, 3, -1, 0, -1, 1},
	"withdraw_initiated":        {"outbound", 1, 4, -1, 3, 0, 1},
}

// bridges are the registered bridges, with their tokens on L2 and L1. The chain
// does not say which contracts are bridges, because every contract can emit an
// event of the same name.
func (m *Model) bridges() map[starknet.Felt]bridge {
	n, err := economy.NetworkNamed(m.Chain)
	if err != nil {
		panic(err)
	}
	one := func(token starknet.Felt, l1 string) bridge { return bridge{&token, new(felt(l1))} }
	return map[starknet.Felt]bridge{
		n.StrkBridge: one(n.Strk, "0xca14007eff0db1f8135f4c25b34de49ab0d42766"), n.EthBridge: one(n.Eth, "0x455448"),
		n.UsdcBridge: one(n.UsdcBridged, "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"), n.UsdtBridge: one(n.Usdt, "0xdac17f958d2ee523a2206206994597c13d831ec7"),
		n.BtcBridge: one(n.Wbtc, "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599"), n.MultiBridge: {},
	}
}

// signal is a deposit or withdrawal event of a bridge.
type signal struct {
	emission
	bridge
	name string
}

func (m *Model) bridgeSignals(r Request, contract starknet.Felt) Answer {
	b, known := m.bridges()[contract]
	if !known {
		return pageOf(m, r, 25, 100, nil, m.signalBody, object{"coverage": object{"status": "unavailable", "reasonCode": "bridge_not_registered"}})
	}
	var rows []signal
	for _, at := range m.events(eventFilter{addresses: []starknet.Felt{contract}}) {
		for name := range signalLayouts {
			if keys := at.Receipt.Events[at.log].Keys; len(keys) > 0 && keys[0] == starknet.Selector(name) {
				rows = append(rows, signal{at, b, name})
			}
		}
	}
	return pageOf(m, r, 25, 100, rows, m.signalBody, m.covered(nil))
}

// signalBody decodes an event of a bridge and finds the matching message of its
// transaction.
func (m *Model) signalBody(s signal) object {
	t, log, name, l, b := s.tx, s.log, s.name, signalLayouts[s.name], s.bridge
	e := &t.Receipt.Events[log]
	body := object{
		"blockNumber": t.block.BlockNumber, "timestampIso": iso(t.block.Timestamp), "txIndex": t.index, "logIndex": log, "txHash": t.Receipt.TransactionHash.String(),
		"direction": l.direction, "protocol": "starkgate", "eventName": name, "pairingConfidence": "event_only",
		"tokenAddress": nil, "l1Token": nil, "account": nil, "amount": nil, "messageHash": nil,
	}
	if len(e.Keys) != l.keys || len(e.Data) < l.data || len(e.Data) > l.data && name != "DepositWithMessageHandled" {
		return body
	}
	felts := append(slices.Clone(e.Keys[1:]), e.Data...)
	low, high := felts[l.amountLow], felts[l.amountLow+1]
	account, l1Token := felts[l.account], b.l1Token
	if l.l1Token >= 0 {
		l1Token = &felts[l.l1Token]
	}
	body["amount"] = new(big.Int).Add(low.Big(), new(big.Int).Lsh(high.Big(), 128)).String()
	body["account"], body["l1Token"] = account.String(), feltOrNull(l1Token)
	if b.l1Token != nil && *b.l1Token == *l1Token {
		body["tokenAddress"] = feltOrNull(b.token)
	}
	for _, g := range t.messages {
		if g.l2 != e.FromAddress {
			continue
		}
		var says [][]starknet.Felt // equivalent payloads
		if l.direction == "outbound" {
			says = [][]starknet.Felt{{{}, felts[l.recipient], low, high}, {{}, felts[l.recipient], *l1Token, low, high}}
		} else {
			says = [][]starknet.Felt{{account, low, high}}
			if len(g.payload) >= 5 && g.payload[0] == *l1Token {
				says = append(says, append([]starknet.Felt{*l1Token, g.payload[1], account, low, high}, g.payload[5:]...))
			}
		}
		inbound := g.direction == "l1_to_l2"
		if inbound == (l.direction == "inbound") && slices.ContainsFunc(says, func(p []starknet.Felt) bool { return slices.Equal(p, g.payload) }) {
			body["messageHash"], body["pairingConfidence"] = g.hash, "message_paired"
			break
		}
	}
	return body
}
