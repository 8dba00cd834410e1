package indexing

import (
	"fmt"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// Advice names the commands that repair the index of a chain, as an operator
// types them.
type Advice domain.Chain

// Block repairs the rows of the blocks from one to another from the node.
func (a Advice) Block(from, to uint64) string {
	if from == to {
		return fmt.Sprintf("astrolabe repair --chain %s --block %d", a, from)
	}
	return fmt.Sprintf("astrolabe repair --chain %s --block %d --to %d", a, from, to)
}

// Class repairs a class from the node.
func (a Advice) Class(hash starknet.Felt) string {
	return fmt.Sprintf("astrolabe repair --chain %s --class %s", a, hash)
}

// Entry repairs an entry of a dictionary, such as addresses:5, from the node.
func (a Advice) Entry(dictionary string, id int64) string {
	return fmt.Sprintf("astrolabe repair --chain %s --entry %s:%d", a, dictionary, id)
}

// Checkpoint moves the checkpoint and the tiers to where the stored blocks are.
func (a Advice) Checkpoint() string {
	return fmt.Sprintf("astrolabe repair --chain %s --checkpoint", a)
}

// Versions records the versions of the facts that only the node has, if the
// digests of all blocks hold.
func (a Advice) Versions() string {
	return fmt.Sprintf("astrolabe repair --chain %s --versions", a)
}

// Discard discards results of a kind of job, which the workers compute again.
func (a Advice) Discard(kind Results) string {
	return fmt.Sprintf("astrolabe repair --chain %s --discard %s", a, kind)
}

// Rederive derives a fact again from stored blocks.
func (a Advice) Rederive(fact string) string {
	return fmt.Sprintf("astrolabe rederive %s --chain %s", fact, a)
}

// Rollback removes a block and all later ones, so that the indexer fetches them
// again. first is the first block of the index.
func (a Advice) Rollback(block, first uint64) string {
	if block <= first {
		return fmt.Sprintf("astrolabe rollback --chain %s --all --yes", a)
	}
	return fmt.Sprintf("astrolabe rollback --chain %s --to %d --yes", a, block-1)
}

// Results names the results of one kind of job.
type Results string

// The kinds of results, which workers compute from stored blocks and the node.
const (
	Sums         Results = "sums"         // token summaries and their parties
	Supplies     Results = "supplies"     // supplies of tokens
	Metadata     Results = "metadata"     // names, symbols and decimals of tokens
	Censuses     Results = "censuses"     // holder censuses and their policies
	Certificates Results = "certificates" // certificates of wide event searches
	Pools        Results = "pools"        // market pools and how far their factories were read
	Ledgers      Results = "ledgers"      // flow ledgers of privacy pools
)

// AllResults lists the kinds of results.
var AllResults = []Results{Sums, Supplies, Metadata, Censuses, Certificates, Pools, Ledgers}
