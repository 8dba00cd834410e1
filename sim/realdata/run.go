package realdata

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"astrolabe/starknet"
)

// ErrNoData reports that the folder, or a block of the run, is missing.
var ErrNoData = errors.New("the real chain data is missing")

// ErrNotLinked reports a run whose blocks are not consecutive.
var ErrNotLinked = errors.New("the blocks are not linked")

// run is a series of consecutive blocks with their state updates and classes.
type run struct {
	first  uint64
	blocks []block
	// hashes maps block hashes to indexes in the run.
	hashes map[starknet.Felt]int
	// classes are the folder's classes in JSON.
	classes map[starknet.Felt]json.RawMessage
}

// block is one block in the three forms of the specification, and its state update.
type block struct {
	header                                 starknet.BlockWithHashes
	withHashes, withTransactions, receipts json.RawMessage
	update                                 json.RawMessage
	// given maps contracts to the classes that they got in this block.
	given map[starknet.Felt]starknet.Felt
}

// load reads a run from the folder of a chain.
func load(dir string, first, last uint64) (*run, error) {
	r := &run{first: first, hashes: map[starknet.Felt]int{}, classes: map[starknet.Felt]json.RawMessage{}}
	for number := first; number <= last; number++ {
		b, err := loadBlock(dir, number)
		if err != nil {
			return nil, err
		}
		if n := len(r.blocks); n > 0 && r.blocks[n-1].header.BlockHash != b.header.ParentHash {
			return nil, fmt.Errorf("%w: %d and %d", ErrNotLinked, number-1, number)
		}
		r.hashes[b.header.BlockHash] = len(r.blocks)
		r.blocks = append(r.blocks, b)
	}
	return r, r.loadClasses(filepath.Join(dir, "classes"))
}

func (r *run) loadClasses(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "0x*.json"))
	if err != nil {
		return err
	}
	for _, path := range files {
		name := filepath.Base(path)
		hash, err := starknet.ParseFelt(name[:len(name)-len(".json")])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if r.classes[hash], err = os.ReadFile(path); err != nil {
			return err
		}
	}
	return nil
}

func loadBlock(dir string, number uint64) (block, error) {
	name := strconv.FormatUint(number, 10) + ".json"
	text, err := os.ReadFile(filepath.Join(dir, "blocks", name))
	if errors.Is(err, os.ErrNotExist) {
		return block{}, fmt.Errorf("%w: %w", ErrNoData, err)
	}
	if err != nil {
		return block{}, err
	}
	b, err := newBlock(text)
	if err != nil {
		return block{}, fmt.Errorf("block %d: %w", number, err)
	}
	b.update, err = os.ReadFile(filepath.Join(dir, "state_updates", name))
	if errors.Is(err, os.ErrNotExist) {
		b.update, err = placeholder(&b.header)
	}
	if err == nil {
		err = b.readGiven()
	}
	if err != nil {
		return block{}, fmt.Errorf("state update %d: %w", number, err)
	}
	return b, nil
}

// newBlock derives the other forms of a block from the one with receipts.
func newBlock(text []byte) (block, error) {
	var fields map[string]json.RawMessage
	var pairs []struct {
		Transaction map[string]json.RawMessage `json:"transaction"`
		Receipt     struct {
			Hash json.RawMessage `json:"transaction_hash"`
		} `json:"receipt"`
	}
	b := block{receipts: text}
	if err := json.Unmarshal(text, &fields); err != nil {
		return b, err
	}
	if err := json.Unmarshal(fields["transactions"], &pairs); err != nil {
		return b, err
	}
	hashes, transactions := make([]json.RawMessage, len(pairs)), make([]map[string]json.RawMessage, len(pairs))
	for i, pair := range pairs {
		hashes[i], transactions[i] = pair.Receipt.Hash, pair.Transaction
		transactions[i]["transaction_hash"] = pair.Receipt.Hash
	}
	var err error
	if b.withHashes, err = with(fields, hashes); err != nil {
		return b, err
	}
	if b.withTransactions, err = with(fields, transactions); err != nil {
		return b, err
	}
	return b, json.Unmarshal(b.withHashes, &b.header)
}

// with encodes a block with its transactions in another form.
func with(fields map[string]json.RawMessage, transactions any) (json.RawMessage, error) {
	text, err := json.Marshal(transactions)
	if err != nil {
		return nil, err
	}
	fields["transactions"] = text
	return json.Marshal(fields)
}

// placeholder returns an empty state update for a block whose real one is
// missing.
func placeholder(b *starknet.BlockWithHashes) (json.RawMessage, error) {
	return json.Marshal(starknet.StateUpdate{
		BlockHash: b.BlockHash, NewRoot: b.NewRoot, OldRoot: b.NewRoot,
		StateDiff: starknet.StateDiff{
			StorageDiffs:              []starknet.StorageDiff{},
			DeprecatedDeclaredClasses: []starknet.Felt{},
			DeclaredClasses:           []starknet.DeclaredClass{},
			DeployedContracts:         []starknet.DeployedContract{},
			ReplacedClasses:           []starknet.ReplacedClass{},
			Nonces:                    []starknet.NonceUpdate{},
		},
	})
}

func (b *block) readGiven() error {
	var update starknet.StateUpdate
	if err := json.Unmarshal(b.update, &update); err != nil {
		return err
	}
	b.given = map[starknet.Felt]starknet.Felt{}
	for _, c := range update.StateDiff.DeployedContracts {
		b.given[c.Address] = c.ClassHash
	}
	for _, c := range update.StateDiff.ReplacedClasses {
		b.given[c.ContractAddress] = c.ClassHash
	}
	return nil
}

// classAt returns the class of a contract after the block at an index.
func (r *run) classAt(place int, contract starknet.Felt) (starknet.Felt, bool) {
	for ; place >= 0; place-- {
		if class, ok := r.blocks[place].given[contract]; ok {
			return class, true
		}
	}
	return starknet.Felt{}, false
}
