package sim

import (
	"fmt"
	"testing"

	"astrolabe/starknet"
)

// shapes counts the shapes of a chain.
type shapes map[string]int

func (s shapes) block(b *Block, messages map[starknet.Hash256]int) {
	replaced := map[starknet.Felt]bool{}
	for _, c := range b.StateUpdate.StateDiff.ReplacedClasses {
		replaced[c.ContractAddress] = true
		s["replaced class"]++
	}
	for i := range b.Transactions {
		tx, receipt := &b.Transactions[i], &b.Receipts[i]
		s[fmt.Sprintf("%s v%d %s", tx.Type, tx.Version.Number, receipt.ExecutionStatus)]++
		if len(tx.Calldata) > 4000 {
			s["long calldata"]++
		}
		if len(receipt.Events) >= 1000 {
			s["thousand events"]++
		}
		if tx.Type == starknet.Invoke && tx.Version.Number > 0 && len(tx.Calldata) > 0 {
			if n, _ := tx.Calldata[0].Uint64(); n > 1 {
				s["several calls"]++
			}
		}
		if tx.Tip > 0 && len(tx.PaymasterData) > 0 {
			s["tip and paymaster"]++
		}
		if len(tx.ProofFacts) > 0 {
			s["proof facts"]++
		}
		for _, m := range receipt.MessagesSent {
			if messages[m.Hash()]++; messages[m.Hash()] > 1 {
				s["repeated message"]++
			}
		}
		for _, e := range receipt.Events {
			s.event(&e)
		}
	}
}

var eventNames = func() map[starknet.Felt]string {
	names := map[starknet.Felt]string{}
	for _, name := range []string{
		"Transfer", "Approval", "ApprovalForAll", "TransferSingle", "TransferBatch", "ContractDeployed", "Upgraded", "OwnerAdded", "OwnerRemoved",
		"PairCreated", "Mint", "Burn", "Swap", "Sync", "PoolCreated", "FeeAmountEnabled", "Initialized", "PositionUpdated", "Swapped",
		"DepositHandled", "DepositWithMessageHandled", "WithdrawInitiated", "DeployHandled", "deposit_handled", "withdraw_initiated",
		"ViewingKeySet", "Deposit", "Withdrawal", "OpenNoteCreated", "OpenNoteDeposited", "EncNoteCreated", "NoteUsed", "ExternalContractInvoked",
		"AuditorPublicKeySet", "ScreenerPublicKeySet", "FeeAmountSet", "FeeCollectorSet", "ProofValidityBlocksSet", "OpenNoteDepositorBlockSet",
		"ImplementationAdded", "ImplementationReplaced", "implementation_added", "implementation_upgraded", "AdminChanged", "Paused", "Unpaused", "Bumped", "URI",
		"LedgerEvent", "Noticed", "Outer", "Floating", "Sunken", "Empty", "TwentyKeys", "EverythingHappened", "ManyKeys", "Malformed",
	} {
		names[starknet.Selector(name)] = name
	}
	return names
}()

func (s shapes) event(e *starknet.Event) {
	if len(e.Keys) == 0 {
		s["event without keys"]++
		return
	}
	name, known := eventNames[e.Keys[0]]
	if !known {
		s[fmt.Sprintf("unknown event with %d keys", len(e.Keys))]++
		return
	}
	s["event "+name]++
	if name != "Transfer" {
		return
	}
	s[fmt.Sprintf("Transfer k%d_d%d", len(e.Keys), len(e.Data))]++
	parties := append(append([]starknet.Felt{}, e.Keys[1:]...), e.Data...)
	switch {
	case parties[0].IsZero():
		s["mint"]++
	case parties[1].IsZero():
		s["burn"]++
	case parties[0] == parties[1]:
		s["self-transfer"]++
	}
}

// TestFirstBlocksShowEveryShape checks that the first blocks contain every
// shape of the list.
func TestFirstBlocksShowEveryShape(t *testing.T) {
	t.Parallel()
	n := readOnly(t)
	found, messages := shapes{}, map[starknet.Hash256]int{}
	for number := range uint64(longBlocks + 1) {
		b, err := n.Block(number)
		if err != nil {
			t.Fatal(err)
		}
		found.block(b, messages)
	}
	wanted := []string{
		"INVOKE v0 SUCCEEDED", "INVOKE v1 SUCCEEDED", "INVOKE v3 SUCCEEDED", "INVOKE v1 REVERTED", "INVOKE v3 REVERTED",
		"DECLARE v0 SUCCEEDED", "DECLARE v1 SUCCEEDED", "DEPLOY v0 SUCCEEDED", "DECLARE v2 SUCCEEDED", "DECLARE v3 SUCCEEDED", "DEPLOY_ACCOUNT v1 SUCCEEDED", "DEPLOY_ACCOUNT v3 SUCCEEDED",
		"L1_HANDLER v0 SUCCEEDED", "L1_HANDLER v0 REVERTED",
		"Transfer k1_d4", "Transfer k3_d2", "Transfer k5_d0", "mint", "burn", "self-transfer",
		"several calls", "tip and paymaster", "long calldata", "thousand events", "repeated message", "replaced class", "proof facts",
		"event without keys", "unknown event with 1 keys", "unknown event with 20 keys", "unknown event with 50 keys",
	}
	for _, name := range eventNames {
		wanted = append(wanted, "event "+name)
	}
	for _, name := range wanted {
		if found[name] == 0 {
			t.Errorf("got no %s, want at least one", name)
		}
	}
}

// TestTwoTokensShareASymbol checks names and symbols as felts and as byte arrays.
func TestTwoTokensShareASymbol(t *testing.T) {
	t.Parallel()
	n := readOnly(t)
	symbols := map[string][]string{}
	for _, contract := range n.Directory() {
		if contract.Class != "erc20_legacy" && contract.Class != "erc20_keyed" {
			continue
		}
		felts, err := n.Call(5, contract.Address, "symbol")
		if err != nil {
			t.Fatal(err)
		}
		symbol, _ := felts[0].ShortString()
		if contract.Class == "erc20_keyed" {
			text, _, err := starknet.DecodeByteArray(felts)
			if err != nil {
				t.Fatal(err)
			}
			symbol = string(text)
		}
		symbols[symbol] = append(symbols[symbol], contract.Name)
	}
	if len(symbols["USDC"]) != 2 || len(symbols["ASTRO"]) != 2 || len(symbols["STRK"]) != 1 {
		t.Errorf("got the tokens %v, want two of USDC and of ASTRO, and one of STRK", symbols)
	}
}
