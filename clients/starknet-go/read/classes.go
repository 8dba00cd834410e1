package main

import (
	"context"
	"reflect"

	"github.com/NethermindEth/juno/core/felt"
	"github.com/NethermindEth/starknet.go/contracts"
	"github.com/NethermindEth/starknet.go/hash"
	"github.com/NethermindEth/starknet.go/rpc"
)

// readClasses reads every declared class, computes its hash, and reads the classes of all
// deployed contracts.
func (n *node) readClasses(ctx context.Context, blocks []block) {
	classes := map[felt.Felt]rpc.ClassOutput{}
	for _, b := range blocks {
		diff := &b.update.StateDiff
		for _, declared := range diff.DeclaredClasses {
			class := got(n.Class(ctx, b.id, declared.ClassHash))
			same(hash.ClassHash(as[contracts.ContractClass](class)), declared.ClassHash, "hash of a class")
			got(n.CompiledCasm(ctx, declared.ClassHash))
			classes[*declared.ClassHash] = class
			n.counts.add("Sierra class hashes computed anew", 1)
		}
		for _, declared := range diff.DeprecatedDeclaredClasses {
			// starknet.go has no hash of Cairo 0 classes.
			classes[*declared] = got(n.Class(ctx, b.id, declared))
			n.counts.add("Cairo 0 classes", 1)
		}
		for _, deployed := range diff.DeployedContracts {
			n.checkClassAt(ctx, b.id, deployed.Address, deployed.ClassHash, classes)
		}
		for _, replaced := range diff.ReplacedClasses {
			n.checkClassAt(ctx, b.id, replaced.ContractClass, replaced.ClassHash, classes) // the field holds the address
		}
	}
}

func (n *node) checkClassAt(ctx context.Context, id rpc.BlockID, address, classHash *felt.Felt, classes map[felt.Felt]rpc.ClassOutput) {
	same(got(n.ClassHashAt(ctx, id, address)), classHash, "class of a contract")
	expect(reflect.DeepEqual(got(n.ClassAt(ctx, id, address)), classes[*classHash]), "class at %s is another", address)
	n.counts.add("classes of deployed and upgraded contracts", 1)
}
