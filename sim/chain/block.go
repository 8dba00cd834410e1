package chain

import (
	"encoding/binary"

	"astrolabe/sim/state"
	"astrolabe/starknet"
)

// Block is a block with its transactions, receipts and state diff. It is
// immutable once built; its finality depends on the chain.
type Block struct {
	Header       starknet.BlockHeader
	Transactions []starknet.Transaction // with their hashes
	Receipts     []starknet.Receipt
	StateUpdate  starknet.StateUpdate
	// ContractsRoot and ClassesRoot are the two inputs of the state root.
	ContractsRoot, ClassesRoot starknet.Felt
	// Foreign are the classes that clients declared in this block.
	Foreign []Foreign
}

var stateTag = starknet.MustShortString("STARKNET_STATE_V0")

// seal computes everything in the header that depends on the content.
func (b *Block) seal(parent *Block, changes []state.Change) error {
	h := &b.Header
	b.StateUpdate.StateDiff = state.Diff(changes)
	if parent != nil {
		h.ParentHash = parent.Header.BlockHash
		b.StateUpdate.OldRoot = parent.Header.NewRoot
		b.ContractsRoot, b.ClassesRoot = parent.ContractsRoot, parent.ClassesRoot
	}
	contracts, classes := splitDigest(changes)
	b.ContractsRoot = starknet.Poseidon(b.ContractsRoot, contracts)
	b.ClassesRoot = starknet.Poseidon(b.ClassesRoot, classes)
	h.NewRoot = starknet.PoseidonMany(stateTag, b.ContractsRoot, b.ClassesRoot)
	h.StateDiffCommitment = starknet.Poseidon(contracts, classes)
	h.StateDiffLength = uint64(len(changes))
	h.TransactionCount = uint64(len(b.Transactions))
	h.TransactionCommitment, h.EventCommitment, h.ReceiptCommitment, h.EventCount = b.commitments()
	hash, err := h.ComputeHash()
	if err != nil {
		return err
	}
	h.BlockHash, b.StateUpdate.BlockHash, b.StateUpdate.NewRoot = hash, hash, h.NewRoot
	return nil
}

// splitDigest hashes the changes of contracts and those of classes.
func splitDigest(changes []state.Change) (contracts, classes starknet.Felt) {
	var text [2][]byte
	for _, c := range changes {
		side := 0
		if c.Cell.Kind == state.Declared {
			side = 1
		}
		text[side] = append(text[side], byte(c.Cell.Kind))
		text[side] = append(append(append(text[side], c.Cell.Address[:]...), c.Cell.Key[:]...), c.New[:]...)
	}
	return starknet.Keccak(text[0]), starknet.Keccak(text[1])
}

func (b *Block) commitments() (transactions, events, receipts starknet.Felt, eventCount uint64) {
	var txText, eventText, receiptText []byte
	for i := range b.Receipts {
		r := &b.Receipts[i]
		txText = append(txText, r.TransactionHash[:]...)
		for _, f := range b.Transactions[i].Signature {
			txText = append(txText, f[:]...)
		}
		receiptText = append(append(receiptText, r.TransactionHash[:]...), r.ActualFee.Amount[:]...)
		receiptText = append(append(receiptText, r.ExecutionStatus...), r.RevertReason...)
		for _, m := range r.MessagesSent {
			hash := m.Hash()
			receiptText = append(receiptText, hash[:]...)
		}
		for _, e := range r.Events {
			eventText = appendEvent(eventText, r.TransactionHash, e)
		}
		eventCount += uint64(len(r.Events))
	}
	return starknet.Keccak(txText), starknet.Keccak(eventText), starknet.Keccak(receiptText), eventCount
}

func appendEvent(b []byte, transaction starknet.Felt, e starknet.Event) []byte {
	b = append(append(b, transaction[:]...), e.FromAddress[:]...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(e.Keys)))
	for _, list := range [2][]starknet.Felt{e.Keys, e.Data} {
		for _, f := range list {
			b = append(b, f[:]...)
		}
	}
	return b
}
