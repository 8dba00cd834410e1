package index

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain/facts"
	"astrolabe/domain/integrity"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/starknet"
)

// TestContractInTheWrongListOfAStateDiffIsRefused moves a contract between the
// deployed contracts and the replaced classes, which a block's hash does not tell
// apart. No transaction proves the deployment.
func TestContractInTheWrongListOfAStateDiffIsRefused(t *testing.T) {
	t.Parallel()
	repotest.SkipRaced(t)
	w := newVerifiedWorld(t, sim.Config{Blocks: 20})
	p, pool := w.tampered()
	for _, first := range []uint64{0, 3} {
		clean := w.clean(func(l *Loop) { l.First = first })
		for _, c := range []struct {
			from, key, to, keyThere string
			contract                starknet.Felt
		}{
			{"deployed_contracts", "address", "replaced_classes", "contract_address", w.deployedByCall(first + 1)},
			{"replaced_classes", "contract_address", "deployed_contracts", "address", w.replaced(first + 1)},
		} {
			name := fmt.Sprintf("%s from block %d on", c.from, first)
			o := w.beside()
			loop := o.loop("a")
			loop.Node, loop.First = pool.Source(), first
			leader := o.leader(loop)
			p.tell(&lie{ofUpdate, func(result map[string]any) bool {
				diff, _ := result["state_diff"].(map[string]any)
				list, _ := diff[c.from].([]any)
				at := slices.IndexFunc(list, func(item any) bool { return item.(map[string]any)[c.key] == c.contract.String() })
				if at < 0 {
					return false
				}
				there, _ := diff[c.to].([]any)
				item, _ := list[at].(map[string]any)
				diff[c.to] = append(there, map[string]any{c.keyThere: item[c.key], "class_hash": item["class_hash"]})
				diff[c.from] = slices.Delete(list, at, at+1)
				return true
			}})
			err := leader.turn(t.Context())
			if m, ok := errors.AsType[*integrity.MismatchError](err); !ok || m.Field != "state_diff."+c.to || m.Stated != c.contract.String() || !strings.HasSuffix(p.url, "/"+m.Upstream) {
				t.Errorf("%s: got %v, want a mismatch of state_diff.%s with %s at %s", name, err, c.to, c.contract, p.url)
			}
			p.tell(nil)
			o.catchUp(leader)
			if got := digest(t, o.db); got != clean {
				t.Errorf("%s: got digest %s, want %s of a clean index", name, got, clean)
			}
		}
	}
}

// deployedByCall returns a contract that no transaction of its block names as
// deployed, of a block from the given one on.
func (w *world) deployedByCall(from uint64) starknet.Felt {
	w.Helper()
	for number := from; number <= w.sim.Head().Header.BlockNumber; number++ {
		b, err := w.sim.Block(number)
		if err != nil {
			w.Fatal(err)
		}
		got := fetched{block: &starknet.BlockWithReceipts{}, update: &b.StateUpdate}
		got.verdict.Level = facts.FullyVerified
		for i := range b.Receipts {
			got.block.Transactions = append(got.block.Transactions, starknet.TransactionWithReceipt{Receipt: b.Receipts[i]})
		}
		for contract := range got.doubtedDeployments() {
			return contract
		}
	}
	w.Fatalf("got no contract that a call deployed from block %d on, want one", from)
	return starknet.Felt{}
}

// replaced returns a contract whose class a block from the given one on replaces.
func (w *world) replaced(from uint64) starknet.Felt {
	w.Helper()
	for number := from; number <= w.sim.Head().Header.BlockNumber; number++ {
		b, err := w.sim.Block(number)
		if err != nil {
			w.Fatal(err)
		}
		if list := b.StateUpdate.StateDiff.ReplacedClasses; len(list) > 0 {
			return list[0].ContractAddress
		}
	}
	w.Fatalf("got no replaced class from block %d on, want one", from)
	return starknet.Felt{}
}
