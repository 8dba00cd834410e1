// Command read reads every kind of object of a simulated node with starknet.go:
// read <url> [<url of the node>]. The second URL is needed if the first one is a gateway, which has no devnet
// methods. The node must be adding blocks. It prints what was read and fails at the
// first answer that starknet.go cannot decode, that contradicts another one, or whose
// hash it does not arrive at itself.
//
// The newest starknet.go speaks version 0.9 of the specification. Where version 0.10 only
// adds members it reads on regardless; where it does not, a comment says so.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/NethermindEth/juno/core/felt"
	"github.com/NethermindEth/starknet.go/rpc"
)

// node is the node that is read, up to the block that was its head at the start.
type node struct {
	*rpc.Provider
	url     string
	control string // of the node itself
	chainID *felt.Felt
	head    uint64
	counts  tally
}

func main() {
	log.SetFlags(log.Lshortfile)
	if len(os.Args) != 2 && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: read <url of the JSON-RPC endpoint> [<url of the node>]")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	n := connect(ctx, os.Args[1])
	n.control = os.Args[len(os.Args)-1]
	blocks := n.readBlocks(ctx)
	n.readTransactions(ctx, blocks)
	n.readClasses(ctx, blocks)
	n.readContracts(ctx, blocks)
	n.readEvents(ctx, blocks)
	n.readTraces(ctx, blocks)
	n.runTransactions(ctx, blocks)
	n.readErrors(ctx)
	n.follow(ctx)
	fmt.Printf("starknet.go read %s up to block %d:\n%s", got(n.ChainID(ctx)), n.head, n.counts.String())
}

func connect(ctx context.Context, url string) *node {
	provider, err := rpc.NewProvider(ctx, url)
	if err != nil && !errors.Is(err, rpc.ErrIncompatibleVersion) {
		fatal(err)
	}
	n := &node{Provider: provider, url: url, counts: tally{number: map[string]int{}}}
	n.chainID = new(felt.Felt).SetBytes([]byte(got(n.ChainID(ctx))))
	n.head = got(n.BlockNumber(ctx))
	expect(strings.HasPrefix(got(n.SpecVersion(ctx)), "0.10."), "the node does not speak 0.10")
	expect(!got(n.Syncing(ctx)).IsSyncing, "the node is syncing")
	return n
}
