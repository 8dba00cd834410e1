package chain

import (
	"astrolabe/sim/state"
	"astrolabe/starknet"
	"astrolabe/starknet/commitment"
)

// formula is that of starknetVersion.
const formula = commitment.PoseidonL2Gas

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
	h.TransactionCount, h.EventCount = uint64(len(b.Transactions)), 0
	for i := range b.Receipts {
		h.EventCount += uint64(len(b.Receipts[i].Events))
	}
	hash, err := b.commit()
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

// commit sets the commitments of the header, and returns the block's hash.
func (b *Block) commit() (starknet.Felt, error) {
	whole := starknet.BlockWithReceipts{BlockHeader: b.Header, Transactions: make([]starknet.TransactionWithReceipt, len(b.Receipts))}
	for i := range b.Receipts {
		whole.Transactions[i] = starknet.TransactionWithReceipt{Transaction: b.Transactions[i], Receipt: b.Receipts[i]}
	}
	c, err := commitment.Of(formula, &whole, &b.StateUpdate.StateDiff)
	if err != nil {
		return starknet.Felt{}, err
	}
	h := &b.Header
	h.TransactionCommitment, h.EventCommitment, h.ReceiptCommitment = c.Transactions, c.Events, c.Receipts
	h.StateDiffCommitment, h.StateDiffLength = c.StateDiff, c.StateDiffLength
	return commitment.BlockHash(starknet.Felt{}, formula, h, c) // which does not depend on the chain
}
