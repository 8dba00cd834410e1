package gateway

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/account"
)

func TestEveryMethodIsChargedToTheClassOfTheContract(t *testing.T) {
	t.Parallel()
	want := map[account.Class]string{
		account.RPCReadLight: "blockHashAndNumber blockNumber chainId rpc.discover specVersion syncing",
		account.RPCReadState: "call getClass getClassAt getClassHashAt getCompiledCasm getNonce getStorageAt getStorageProof",
		account.RPCReadHistory: "getBlockTransactionCount getBlockWithReceipts getBlockWithTxHashes getBlockWithTxs getEvents getMessagesStatus getStateUpdate " +
			"getTransactionByBlockIdAndIndex getTransactionByHash getTransactionReceipt getTransactionStatus",
		account.RPCSimulation: "estimateFee estimateMessageFee simulateTransactions",
		account.RPCWrite:      "addDeclareTransaction addDeployAccountTransaction addInvokeTransaction",
		account.RPCTrace:      "traceBlockTransactions traceTransaction",
		account.RPCWebSocket: "subscribeEvents subscribeNewHeads subscribeNewTransactionReceipts subscribeNewTransactions " +
			"subscribeTransactionStatus unsubscribe",
	}
	names := map[account.Class][]string{}
	for _, m := range Methods {
		names[m.Class] = append(names[m.Class], strings.TrimPrefix(m.Name, "starknet_"))
	}
	got := map[account.Class]string{}
	for class, list := range names {
		slices.Sort(list)
		got[class] = strings.Join(list, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("methods by class (-want +got):\n%s", diff)
	}
}
