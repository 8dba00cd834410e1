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

// Builder builds a block.
type Builder struct {
	Header starknet.PreConfirmedHeader
	// State is the state after the transactions so far.
	State *state.Overlay
	// Rand is the block's random source: it depends only on the seed, the chain,
	// the height and the branch.
	Rand *rand.Rand
	// Branch counts the reorgs before this block.
	Branch uint64

	machine      *vm.Machine
	transactions []starknet.Transaction
	receipts     []starknet.Receipt
	hashes       []*hashing
	hashers      sync.WaitGroup
}

// hashing is a transaction hash that is being computed. Hashes take most of the
// time of a block and nothing in it depends on them, so they are computed
// concurrently.
type hashing struct {
	transaction starknet.Transaction
	hash        starknet.Felt
	err         error
}

// hashSlots limits how many hashes are computed at a time.
var hashSlots = make(chan struct{}, runtime.GOMAXPROCS(0))

// Machine returns the machine that executes the block's transactions.
func (b *Builder) Machine() *vm.Machine { return b.machine }

// Add executes a transaction of the script and adds it to the block. If it has
// no hash, its hash and the receipt's are set later. Its signature is not
// checked. An error means that it cannot be included, and nothing has changed.
func (b *Builder) Add(t starknet.Transaction) (*starknet.Receipt, error) {
	return b.add(t, vm.Flags{Trusted: true})
}

func (b *Builder) add(t starknet.Transaction, flags vm.Flags) (*starknet.Receipt, error) {
	result, err := b.machine.Execute(b.State, &b.Header, &t, flags)
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

// block returns the unsealed block so far.
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
