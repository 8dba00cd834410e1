package oracle

import (
	"strconv"
	"strings"

	"astrolabe/starknet"
)

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
	body["l1GasPrice"], body["l1DataGasPrice"], body["l2GasPrice"] = b.price(b.L1GasPrice, ""), b.price(b.L1DataGasPrice, "0.13.1"), b.price(b.L2GasPrice, "0.13.4")
	txs := m.txsOf(b)
	body["transactions"] = render(txs[:min(txLimit, len(txs))], m.txItem)
	return body
}

// price is null before the version that introduced it, and where a node returns
// 0, or nothing but 0 and 1, for a price that the block does not have.
func (b *Block) price(p starknet.ResourcePrice, since string) any {
	body := object{"priceInWei": nil, "priceInFri": nil}
	wei, fri := p.PriceInWei.Big(), p.PriceInFri.Big()
	if !b.from("0.13.0") {
		fri.SetInt64(0)
	}
	if !b.from(since) || wei.BitLen() <= 1 && fri.BitLen() <= 1 {
		return nil
	}
	if wei.Sign() > 0 {
		body["priceInWei"] = wei.String()
	}
	if fri.Sign() > 0 {
		body["priceInFri"] = fri.String()
	}
	return body
}

// from reports whether the block is of a version of Starknet, or of a later one.
func (b *Block) from(version string) bool {
	have, least := strings.Split(b.StarknetVersion, "."), strings.Split(version, ".")
	for i := range min(len(have), len(least)) {
		a, _ := strconv.Atoi(have[i])
		if l, _ := strconv.Atoi(least[i]); a != l {
			return a > l
		}
	}
	return version == "" || len(have) >= len(least)
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
