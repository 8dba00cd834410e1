package chain

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"

	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// Builder is a block in the making.
type Builder struct {
	Header starknet.PreConfirmedHeader
	// State is the state after the transactions so far.
	State *state.Overlay
	// Rand is the block's own source of chance: it depends on the seed, the chain, the
	// height and the branch alone.
	Rand *rand.Rand
	// Branch counts the reorganisations before this block.
	Branch uint64

	machine      *vm.Machine
	transactions []starknet.Transaction
	receipts     []starknet.Receipt
	hashes       []*hashing
	hashers      sync.WaitGroup
}

// hashing is a transaction's hash on its way. Hashes take most of the time that a block
// takes and nothing in it depends on them, so they are computed concurrently.
type hashing struct {
	transaction starknet.Transaction
	hash        starknet.Felt
	err         error
}

// hashSlots bounds how many hashes are computed at a time.
var hashSlots = make(chan struct{}, runtime.GOMAXPROCS(0))

// Machine returns the machine that executes the block's transactions.
func (b *Builder) Machine() *vm.Machine { return b.machine }

// Add executes a transaction and puts it into the block; its hash and its receipt's are
// filled in later, if it has none. An error means that it cannot enter, and nothing has
// changed.
func (b *Builder) Add(t starknet.Transaction) (*starknet.Receipt, error) {
	result, err := b.machine.Execute(b.State, &b.Header, &t, vm.Flags{})
	if err != nil {
		return nil, err
	}
	b.transactions = append(b.transactions, t)
	b.receipts = append(b.receipts, result.Receipt)
	h := &hashing{transaction: t, hash: t.Hash}
	b.hashes = append(b.hashes, h)
	if t.Hash.IsZero() {
		b.hashers.Add(1)
		hashSlots <- struct{}{}
		go func() {
			defer b.hashers.Done()
			h.hash, h.err = h.transaction.ComputeHash(b.machine.ChainID)
			<-hashSlots
		}()
	}
	return &b.receipts[len(b.receipts)-1], nil
}

// block returns what was built so far, not sealed.
func (b *Builder) block() (*Block, error) {
	b.hashers.Wait()
	var err error
	for i, h := range b.hashes {
		if h.transaction.Hash.IsZero() { // other hashes may already be in use
			err = errors.Join(err, h.err)
			b.transactions[i].Hash, b.receipts[i].TransactionHash = h.hash, h.hash
		}
	}
	return &Block{
		Header:       starknet.BlockHeader{PreConfirmedHeader: b.Header},
		Transactions: b.transactions, Receipts: b.receipts,
	}, err
}
