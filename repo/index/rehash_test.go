package index_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// unknownClasses is a view of a chain of which nothing is known.
type unknownClasses struct{}

func (unknownClasses) Runtime(starknet.Felt) facts.Runtime { return facts.Runtime{} }

// realBlocks returns the transactions of real blocks as if they were the first
// blocks of one chain, with the chain that each is from.
func realBlocks(t *testing.T) (blocks []facts.Block, from []domain.Chain) {
	t.Helper()
	files, err := filepath.Glob("../../../shared/data/real/*/blocks/*.json")
	if err != nil || len(files) == 0 {
		t.Skip("the folder of real chain data is not beside the repository")
	}
	for i, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // A path below the test data.
		if err != nil {
			t.Fatal(err)
		}
		var block starknet.BlockWithReceipts
		if err := json.Unmarshal(text, &block); err != nil {
			t.Fatal(err)
		}
		derived, err := facts.Derive(&block, &starknet.StateUpdate{BlockHash: block.BlockHash, NewRoot: block.NewRoot}, facts.Lookups{}, unknownClasses{})
		if err != nil {
			t.Fatal(err)
		}
		derived.Header.Number = uint64(i) //nolint:gosec // A small index.
		blocks = append(blocks, facts.Block{Header: derived.Header, Transactions: derived.Transactions})
		chain := domain.Mainnet
		if strings.Contains(file, string(domain.Sepolia)) {
			chain = domain.Sepolia
		}
		from = append(from, chain)
	}
	return blocks, from
}

// rareShapes returns a block with the kinds of transaction that neither the
// simulated chain nor the real blocks have.
func rareShapes(t *testing.T) facts.Block {
	t.Helper()
	felt := starknet.FeltFromUint64
	block := starknet.BlockWithReceipts{}
	for i, kind := range []struct {
		of      starknet.TransactionType
		version uint64
	}{{starknet.Declare, 0}, {starknet.Declare, 1}, {starknet.Declare, 2}, {starknet.Declare, 3}, {starknet.Deploy, 1}, {starknet.DeployAccount, 3}, {starknet.Invoke, 3}} {
		tx := starknet.Transaction{
			Type: kind.of, Version: starknet.Version{Number: kind.version}, SenderAddress: felt(1), Nonce: felt(2), MaxFee: felt(3),
			Signature: []starknet.Felt{felt(4)}, ClassHash: felt(5), CompiledClassHash: felt(6), ContractAddressSalt: felt(7),
			ResourceBounds: starknet.ResourceBounds{L1Gas: starknet.ResourceBound{MaxAmount: 8, MaxPricePerUnit: starknet.Uint128{Hi: 9}}},
			Tip:            10, PaymasterData: []starknet.Felt{felt(11)}, NonceDataAvailabilityMode: starknet.AvailableOnL2,
		}
		switch kind.of {
		case starknet.Deploy, starknet.DeployAccount:
			tx.ConstructorCalldata = []starknet.Felt{felt(12), felt(13)}
			if kind.of == starknet.Deploy { // nobody pays for it
				tx.MaxFee = starknet.Felt{}
			}
		case starknet.Invoke:
			tx.Calldata, tx.ProofFacts = []starknet.Felt{felt(14)}, []starknet.Felt{felt(15)}
		}
		if kind.of != starknet.DeployAccount {
			tx.AccountDeploymentData = []starknet.Felt{felt(16)}
		}
		hash, err := tx.ComputeHash(domain.Mainnet.ID())
		if err != nil {
			t.Fatalf("transaction %d: %v", i, err)
		}
		block.Transactions = append(block.Transactions, starknet.TransactionWithReceipt{
			Transaction: tx, Receipt: starknet.Receipt{TransactionHash: hash, ActualFee: starknet.FeePayment{Unit: starknet.Fri}},
		})
	}
	derived, err := facts.Derive(&block, &starknet.StateUpdate{}, facts.Lookups{}, unknownClasses{})
	if err != nil {
		t.Fatal(err)
	}
	return facts.Block{Header: facts.Header{L1DAMode: starknet.Blob}, Transactions: derived.Transactions}
}

func TestAStoredTransactionHashesToItsOwnHash(t *testing.T) {
	t.Parallel()
	seen := make(map[starknet.TransactionType]map[uint64]bool)
	check := func(name string, blocks []facts.Block, from func(i int) domain.Chain) {
		db := repotest.Open(t)
		write(t, db, 7, blocks, func(i *repotest.Index, blocks []facts.Block) { i.Commit(i.Open(0, 1000, indexing.RangeReady), blocks) })
		for i, block := range stored(t, db, 0, 1000) {
			for j := range block.Transactions {
				tx := &block.Transactions[j]
				if original := tx.Original(); !original.HasHash(from(i).ID(), tx.Hash) {
					t.Errorf("%s: %s of version %d in block %d: got another hash, want %s", name, tx.Type, tx.Version, i, tx.Hash)
				}
				if seen[tx.Type] == nil {
					seen[tx.Type] = make(map[uint64]bool)
				}
				seen[tx.Type][tx.Version] = true
			}
		}
	}
	mainnet := func(int) domain.Chain { return domain.Mainnet }
	check("simulated", repotest.Everyday(t), mainnet)
	check("rare", []facts.Block{rareShapes(t)}, mainnet)
	blocks, from := realBlocks(t)
	check("real", blocks, func(i int) domain.Chain { return from[i] })
	for kind, versions := range map[starknet.TransactionType][]uint64{
		starknet.Invoke: {0, 1, 3}, starknet.Declare: {0, 1, 2, 3}, starknet.Deploy: {0, 1}, starknet.DeployAccount: {1, 3}, starknet.L1Handler: {0},
	} {
		for _, version := range versions {
			if !seen[kind][version] {
				t.Errorf("no %s of version %d was stored, want one", kind, version)
			}
		}
	}
}
