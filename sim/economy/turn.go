package economy

import (
	"encoding/binary"
	"fmt"

	"astrolabe/sim/chain"
	"astrolabe/sim/contract"
	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// turn builds one block for the script.
type turn struct {
	*Economy
	b *chain.Builder
}

// call is one call of an account's transaction.
type call struct {
	to       starknet.Felt
	function string
	data     []starknet.Felt
}

// felt returns a random felt.
func (t *turn) felt() (f starknet.Felt) {
	for i := 8; i < len(f); i += 8 {
		binary.BigEndian.PutUint64(f[i:], t.b.Rand.Uint64())
	}
	return f
}

func (t *turn) number() uint64 { return t.b.Header.BlockNumber }

// add adds a transaction to the block; one that cannot be included is recorded
// and skipped.
func (t *turn) add(tx starknet.Transaction) *starknet.Receipt {
	receipt, err := t.b.Add(tx)
	if err != nil {
		if len(t.refused) < maxRefused {
			t.refused = append(t.refused, fmt.Errorf("block %d, %s: %w", t.number(), tx.Type, err))
		}
		return nil
	}
	return receipt
}

// signed sets the common fields of an account's transaction of this version.
func (t *turn) signed(tx starknet.Transaction, version uint64) starknet.Transaction {
	tx.Version.Number = version
	tx.Signature = []starknet.Felt{t.felt(), t.felt()}
	if version < 3 {
		tx.MaxFee = starknet.FeltFromUint64(1e17)
		return tx
	}
	tx.ResourceBounds = starknet.ResourceBounds{
		L1Gas:     starknet.ResourceBound{MaxAmount: 2_000_000, MaxPricePerUnit: starknet.Uint128{Lo: 1e14}},
		L1DataGas: starknet.ResourceBound{MaxAmount: 1_000_000, MaxPricePerUnit: starknet.Uint128{Lo: 1e10}},
		L2Gas:     starknet.ResourceBound{MaxAmount: 2_000_000_000, MaxPricePerUnit: starknet.Uint128{Lo: 1e10}},
	}
	return tx
}

func (t *turn) nonce(a actor) starknet.Felt { return t.b.State.Read(state.NonceCell(a.address)) }

// invoke sends the calls of an account in one transaction.
func (t *turn) invoke(from actor, calls ...call) *starknet.Receipt {
	return t.invokeProven(from, nil, calls...)
}

// invokeProven is invoke with proof facts, which only version 3 transactions
// have.
func (t *turn) invokeProven(from actor, facts []starknet.Felt, calls ...call) *starknet.Receipt {
	tx := t.signed(t.invocation(from, calls...), from.version)
	tx.ProofFacts = facts
	return t.add(tx)
}

// invocation is an account's transaction without its common fields.
func (t *turn) invocation(from actor, calls ...call) starknet.Transaction {
	calldata := []starknet.Felt{starknet.FeltFromUint64(uint64(len(calls)))}
	for _, c := range calls {
		calldata = append(calldata, c.to, selector(c.function), starknet.FeltFromUint64(uint64(len(c.data))))
		calldata = append(calldata, c.data...)
	}
	return starknet.Transaction{Type: starknet.Invoke, SenderAddress: from.address, Calldata: calldata, Nonce: t.nonce(from)}
}

// declare declares a class unless it is declared already; version 1 accounts
// declare Cairo 0 classes by version 1 transactions and others by version 2.
func (t *turn) declare(from actor, name string) {
	class := t.classes.Named(name)
	if !t.b.State.Read(state.DeclaredCell(class.Hash)).IsZero() {
		return
	}
	version := from.version
	if version == 1 && class.Document.Sierra != nil {
		version = 2
	}
	t.add(t.signed(starknet.Transaction{
		Type: starknet.Declare, SenderAddress: from.address, Nonce: t.nonce(from),
		ClassHash: class.Hash, CompiledClassHash: class.CompiledHash,
	}, version))
}

// message executes a message from L1. Its nonce encodes block, branch and
// number, so that it is unique even across reorgs.
func (t *turn) message(from, to starknet.Felt, handler string, payload ...starknet.Felt) {
	t.memory.mails++
	nonce := t.number()<<32 | t.b.Branch<<16 | t.memory.mails&0xffff
	t.add(starknet.Transaction{
		Type: starknet.L1Handler, ContractAddress: to, EntryPointSelector: selector(handler),
		Calldata: append([]starknet.Felt{from}, payload...), Nonce: starknet.FeltFromUint64(nonce),
	})
}

// deploy deploys a contract through one of the two deployers and records its
// name.
func (t *turn) deploy(from actor, legacy bool, name, class string, calldata ...starknet.Felt) starknet.Felt {
	to, function, third := t.network.UDC, "deploy_contract", starknet.Felt{}
	if legacy {
		to, function, third = t.network.UDCLegacy, "deployContract", starknet.FeltFromUint64(1)
	}
	data := []starknet.Felt{t.classes.Named(class).Hash, t.felt(), third, starknet.FeltFromUint64(uint64(len(calldata)))}
	receipt := t.invoke(from, call{to, function, append(data, calldata...)})
	if receipt == nil || receipt.ExecutionStatus == starknet.Reverted {
		return starknet.Felt{}
	}
	for _, event := range receipt.Events {
		if event.FromAddress == to {
			t.name(name, class, event.Data[0])
			return event.Data[0]
		}
	}
	return starknet.Felt{}
}

func (t *turn) balance(token, owner starknet.Felt) vm.U256 {
	return contract.Balance(t.b.State, token, owner)
}

// fraction returns a random fraction of an owner's balance of a token, at most
// 1/divisor.
func (t *turn) fraction(token, owner starknet.Felt, divisor uint64) vm.U256 {
	share := t.balance(token, owner).Div64(divisor)
	part, _ := share.Div64(1000).Mul64(t.b.Rand.Uint64N(1000))
	return part
}

// chance is true once in n.
func (t *turn) chance(n int) bool { return t.b.Rand.IntN(n) == 0 }

// someone returns a random user, or the treasury if there is none yet.
func (t *turn) someone() actor {
	users := t.memory.actors[firstUser:]
	if len(users) == 0 {
		return t.treasury()
	}
	return users[t.b.Rand.IntN(len(users))]
}

func pick[T any](t *turn, from ...T) T { return from[t.b.Rand.IntN(len(from))] }

func u256(v vm.U256) []starknet.Felt {
	low, high := v.Halves()
	return []starknet.Felt{low, high}
}

// amount returns whole units of a token with that many decimals.
func amount(units, decimals uint64) vm.U256 {
	v := vm.U64(units)
	for range decimals {
		v, _ = v.Mul64(10)
	}
	return v
}

func felts(head starknet.Felt, tail ...[]starknet.Felt) []starknet.Felt {
	list := []starknet.Felt{head}
	for _, part := range tail {
		list = append(list, part...)
	}
	return list
}

func transfer(token, to starknet.Felt, value vm.U256) call {
	return call{token, "transfer", felts(to, u256(value))}
}

func approve(token, spender starknet.Felt, value vm.U256) call {
	return call{token, "approve", felts(spender, u256(value))}
}

// ownerOf returns the actor that owns an item, if the script controls it.
func (t *turn) ownerOf(collection starknet.Felt, id vm.U256) (actor, bool) {
	owner := contract.OwnerOf(t.b.State, collection, id)
	for _, a := range t.memory.actors {
		if a.address == owner {
			return a, true
		}
	}
	return actor{}, false
}
