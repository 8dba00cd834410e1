package oracle

import "astrolabe/starknet"

func (m *Model) blockItem(b *Block) object {
	events := 0
	for i := range b.Transactions {
		events += len(b.Transactions[i].Receipt.Events)
	}
	return object{
		"blockNumber": b.BlockNumber, "blockHash": b.BlockHash.String(), "parentHash": b.ParentHash.String(), "timestampIso": iso(b.Timestamp),
		"txCount": len(b.Transactions), "eventCount": events, "finalityStatus": m.finality(b), "sourceTier": m.tier(b),
		"verification": m.checked(b)["level"],
	}
}

func (m *Model) blockBody(b *Block, txLimit int) object {
	body := m.blockItem(b)
	body["chainId"], body["stateRoot"], body["starknetVersion"] = m.Chain, b.NewRoot.String(), stringOrNull(b.StarknetVersion)
	body["sequencerAddress"], body["l1DataAvailabilityMode"] = nil, stringOrNull(string(b.L1DAMode))
	if !b.SequencerAddress.IsZero() {
		body["sequencerAddress"] = b.SequencerAddress.String()
	}
	body["l1GasPrice"], body["l2GasPrice"], body["l1DataGasPrice"] = price(b.L1GasPrice), price(b.L2GasPrice), price(b.L1DataGasPrice)
	txs := m.txsOf(b)
	body["transactions"] = render(txs[:min(txLimit, len(txs))], m.txItem)
	return body
}

// price is null where a node returns zero: nothing was ever free.
func price(p starknet.ResourcePrice) any {
	one := func(f starknet.Felt) any {
		if f.IsZero() {
			return nil
		}
		return f.Big().String()
	}
	if p.PriceInFri.IsZero() && p.PriceInWei.IsZero() {
		return nil
	}
	return object{"priceInWei": one(p.PriceInWei), "priceInFri": one(p.PriceInFri)}
}

func (m *Model) txsOf(b *Block) []*tx { return m.byBlock[b.BlockNumber] }

// blockNamed finds a block by number, hash or latest.
func (m *Model) blockNamed(name string) *Block {
	if name == "latest" {
		return m.head()
	}
	if n, ok := parseNumber(name); ok {
		return m.at(n)
	}
	hash, err := starknet.ParseFelt(name)
	for i := range m.Blocks {
		if err == nil && m.Blocks[i].BlockHash == hash {
			return &m.Blocks[i]
		}
	}
	return nil
}

// blockAtTime is the newest block that is not after a time, or with after the
// oldest that is not before it; nil if there is none. If the index starts late,
// its first block may not be the oldest.
func (m *Model) blockAtTime(second uint64, after bool) (found *Block) {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if !after && b.Timestamp <= second {
			found = b
		}
		if after && b.Timestamp >= second {
			if i == 0 && b.BlockNumber > 0 {
				return nil
			}
			return b
		}
	}
	return found
}

func (m *Model) timedBlock(b *Block) any {
	if b == nil {
		return nil
	}
	return object{
		"blockNumber": b.BlockNumber, "blockHash": b.BlockHash.String(), "timestampIso": iso(b.Timestamp),
		"timestampUnix": b.Timestamp, "finalityStatus": m.finality(b),
	}
}
