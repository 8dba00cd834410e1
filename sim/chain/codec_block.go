package chain

import (
	"encoding/json"

	"astrolabe/starknet"
)

// packEntry writes a block; unpackEntry reads it in the same order.
func packEntry(e Entry) ([]byte, error) {
	p, b := newPacker(), e.Block
	p.header(&b.Header)
	p.felt(b.StateUpdate.OldRoot)
	p.felt(b.ContractsRoot)
	p.felt(b.ClassesRoot)
	packList(p, b.Transactions, (*packer).transaction)
	packList(p, b.Receipts, (*packer).receipt)
	p.diff(&b.StateUpdate.StateDiff)
	p.number(uint64(len(b.Foreign)))
	for i := range b.Foreign {
		document, err := json.Marshal(b.Foreign[i].Class)
		if err != nil {
			return nil, err
		}
		p.felt(b.Foreign[i].Hash)
		p.text(string(document))
	}
	p.number(e.Pooled)
	p.text(string(e.Gained))
	return p.bytes(), nil
}

func unpackEntry(text []byte) (Entry, error) {
	u := newUnpacker(text)
	b := &Block{Header: u.header()}
	b.StateUpdate.BlockHash, b.StateUpdate.NewRoot = b.Header.BlockHash, b.Header.NewRoot
	b.StateUpdate.OldRoot, b.ContractsRoot, b.ClassesRoot = u.felt(), u.felt(), u.felt()
	b.Transactions = readList(u, (*unpacker).transaction)
	b.Receipts = readList(u, (*unpacker).receipt)
	b.StateUpdate.StateDiff = u.diff()
	for range u.count() {
		f := Foreign{Hash: u.felt()}
		if err := json.Unmarshal([]byte(u.text()), &f.Class); err != nil {
			u.fail("class")
		}
		if u.err != nil {
			break
		}
		b.Foreign = append(b.Foreign, f)
	}
	e := Entry{b, u.number(), []byte(u.text())}
	if e.Pooled > uint64(len(b.Transactions)) || len(b.Transactions) != len(b.Receipts) {
		u.fail("number of transactions")
	}
	if u.err == nil && len(u.body) > 0 {
		u.fail("something is left over")
	}
	return e, u.err
}

func (p *packer) header(h *starknet.BlockHeader) {
	for _, f := range []starknet.Felt{
		h.BlockHash, h.ParentHash, h.NewRoot, h.SequencerAddress, h.EventCommitment, h.TransactionCommitment, h.ReceiptCommitment, h.StateDiffCommitment,
		h.L1GasPrice.PriceInFri, h.L1GasPrice.PriceInWei, h.L1DataGasPrice.PriceInFri, h.L1DataGasPrice.PriceInWei, h.L2GasPrice.PriceInFri, h.L2GasPrice.PriceInWei,
	} {
		p.felt(f)
	}
	for _, n := range []uint64{h.BlockNumber, h.Timestamp, h.EventCount, h.TransactionCount, h.StateDiffLength} {
		p.number(n)
	}
	p.text(string(h.L1DAMode))
	p.text(h.StarknetVersion)
}

func (u *unpacker) header() (h starknet.BlockHeader) {
	for _, f := range []*starknet.Felt{
		&h.BlockHash, &h.ParentHash, &h.NewRoot, &h.SequencerAddress, &h.EventCommitment, &h.TransactionCommitment, &h.ReceiptCommitment, &h.StateDiffCommitment,
		&h.L1GasPrice.PriceInFri, &h.L1GasPrice.PriceInWei, &h.L1DataGasPrice.PriceInFri, &h.L1DataGasPrice.PriceInWei, &h.L2GasPrice.PriceInFri, &h.L2GasPrice.PriceInWei,
	} {
		*f = u.felt()
	}
	for _, n := range []*uint64{&h.BlockNumber, &h.Timestamp, &h.EventCount, &h.TransactionCount, &h.StateDiffLength} {
		*n = u.number()
	}
	h.L1DAMode, h.StarknetVersion = starknet.L1DAMode(u.text()), u.text()
	return h
}

func (p *packer) diff(d *starknet.StateDiff) {
	packList(p, d.StorageDiffs, func(p *packer, s *starknet.StorageDiff) {
		p.felt(s.Address)
		packList(p, s.StorageEntries, func(p *packer, e *starknet.StorageEntry) { p.felt(e.Key); p.felt(e.Value) })
	})
	p.felts(d.DeprecatedDeclaredClasses)
	packList(p, d.DeclaredClasses, func(p *packer, c *starknet.DeclaredClass) { p.felt(c.ClassHash); p.felt(c.CompiledClassHash) })
	packList(p, d.DeployedContracts, func(p *packer, c *starknet.DeployedContract) { p.felt(c.Address); p.felt(c.ClassHash) })
	packList(p, d.ReplacedClasses, func(p *packer, c *starknet.ReplacedClass) { p.felt(c.ContractAddress); p.felt(c.ClassHash) })
	packList(p, d.Nonces, func(p *packer, n *starknet.NonceUpdate) { p.felt(n.ContractAddress); p.felt(n.Nonce) })
}

func (u *unpacker) diff() starknet.StateDiff {
	return starknet.StateDiff{
		StorageDiffs: readList(u, func(u *unpacker) starknet.StorageDiff {
			return starknet.StorageDiff{Address: u.felt(), StorageEntries: readList(u, func(u *unpacker) starknet.StorageEntry {
				return starknet.StorageEntry{Key: u.felt(), Value: u.felt()}
			})}
		}),
		DeprecatedDeclaredClasses: u.felts(),
		DeclaredClasses: readList(u, func(u *unpacker) starknet.DeclaredClass {
			return starknet.DeclaredClass{ClassHash: u.felt(), CompiledClassHash: u.felt()}
		}),
		DeployedContracts: readList(u, func(u *unpacker) starknet.DeployedContract {
			return starknet.DeployedContract{Address: u.felt(), ClassHash: u.felt()}
		}),
		ReplacedClasses: readList(u, func(u *unpacker) starknet.ReplacedClass {
			return starknet.ReplacedClass{ContractAddress: u.felt(), ClassHash: u.felt()}
		}),
		Nonces: readList(u, func(u *unpacker) starknet.NonceUpdate {
			return starknet.NonceUpdate{ContractAddress: u.felt(), Nonce: u.felt()}
		}),
	}
}
