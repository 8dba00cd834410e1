package oracle

import (
	"fmt"

	"astrolabe/starknet"
)

// message is a message between the layers.
type message struct {
	*tx
	direction       string
	place           int
	hash            string
	from, to        starknet.Felt
	l1, l2          starknet.Felt
	nonce, selector any
	payload         []starknet.Felt
}

// messagesOf lists the message that a transaction handles, then those that it
// sends.
func messagesOf(t *tx) (list []message) {
	if in, ok := t.Transaction.L1Message(); ok {
		hash := in.Hash()
		if said := t.Receipt.MessageHash; said != nil {
			hash = *said
		}
		list = append(list, message{
			tx: t, direction: "l1_to_l2", hash: hash.String(), from: in.FromAddress, to: in.ToAddress, l1: in.FromAddress, l2: in.ToAddress,
			nonce: in.Nonce.String(), selector: in.Selector.String(), payload: in.Payload,
		})
	}
	for i := range t.Receipt.MessagesSent {
		sent := &t.Receipt.MessagesSent[i]
		list = append(list, message{
			tx: t, direction: "l2_to_l1", place: i, hash: sent.Hash().String(), from: sent.FromAddress, to: sent.ToAddress,
			l1: sent.ToAddress, l2: sent.FromAddress, payload: sent.Payload,
		})
	}
	return list
}

func (m *Model) messageBody(g message) object {
	status := map[string]string{"ACCEPTED_ON_L1": "accepted_on_l1", "ACCEPTED_ON_L2": "accepted_on_l2"}[m.finality(g.block)]
	if g.Receipt.ExecutionStatus == starknet.Reverted {
		status = "reverted"
	}
	hash := g.Receipt.TransactionHash
	return object{
		"id": fmt.Sprintf("%s:%s:%d", hash, g.direction, g.place), "direction": g.direction, "blockNumber": g.block.BlockNumber,
		"timestampIso": iso(g.block.Timestamp), "txIndex": g.index, "messageIndex": g.place, "messageHash": g.hash,
		"fromAddress": g.from.String(), "toAddress": g.to.String(), "txHash": hash.String(),
		"l1ContractAddress": g.l1.String(), "l2ContractAddress": g.l2.String(), "nonce": g.nonce, "selector": g.selector,
		"payload": texts(g.payload), "status": status, "sourceTier": m.tier(g.block),
	}
}

func (m *Model) messages(wanted func(message) bool) (list []message) {
	for _, t := range m.txs {
		for _, g := range t.messages {
			if wanted(g) {
				list = append(list, g)
			}
		}
	}
	return newestFirst(list)
}
