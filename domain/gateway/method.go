package gateway

import (
	"encoding/json"

	"astrolabe/domain/account"
)

// The size limits of answers in bytes.
const (
	MaxAnswer = 16 << 20 // of any method without a limit of its own, and of a whole batch
	maxProof  = 1 << 20
	maxCasm   = 4 << 20
	maxTrace  = 16 << 20
)

// Method is the policy for a method of the allowlist.
type Method struct {
	Name  string
	Class account.Class
	// Permission is what a key needs to call it.
	Permission account.Permission
	// Params are the names of the parameters in order.
	Params []Param
	// Summary is one sentence for the OpenRPC document.
	Summary string

	maxAnswer int64  // zero means MaxAnswer
	tooLarge  Reason // of a larger answer
	// checkParams refuses params before they are sent; nil checks nothing.
	checkParams func(json.RawMessage) *Error
	// complete refuses an answer that lacks something; nil accepts all.
	complete func(result json.RawMessage) error
}

// Param is a parameter of a method.
type Param struct {
	Name     string
	Type     string // name of a schema of the OpenRPC document
	Optional bool
}

// Writes reports whether the method has side effects.
func (m Method) Writes() bool { return m.Class == account.RPCWrite }

// Subscribes reports whether the method is served over WebSocket only.
func (m Method) Subscribes() bool { return m.Class == account.RPCWebSocket }

// MaxAnswer is the size limit of an answer in bytes.
func (m Method) MaxAnswer() int64 {
	if m.maxAnswer > 0 {
		return m.maxAnswer
	}
	return MaxAnswer
}

// Classes are the rate-limit classes of the methods.
var Classes = []account.Class{
	account.RPCReadLight, account.RPCReadState, account.RPCReadHistory, account.RPCSimulation,
	account.RPCWrite, account.RPCTrace, account.RPCWebSocket,
}

// Discover is the method that returns the OpenRPC document.
const Discover = "rpc.discover"

// Lookup returns the policy of a method, false if it is not on the allowlist.
func Lookup(name string) (Method, bool) {
	m, ok := byName[name]
	return m, ok
}

var byName = func() map[string]Method {
	all := make(map[string]Method, len(Methods))
	for _, m := range Methods {
		all[m.Name] = m
	}
	return all
}()

func required(name, schema string) Param { return Param{Name: name, Type: schema} }

func optional(name, schema string) Param { return Param{Name: name, Type: schema, Optional: true} }

var (
	blockID       = required("block_id", "BlockID")
	txHash        = required("transaction_hash", "Felt")
	responseFlags = optional("response_flags", "Strings")
)

// Methods is the allowlist: every read method of the node specification,
// simulation, the three writes, the two traces and the subscriptions.
var Methods = []Method{
	light(Discover, "Return this document."),
	light("starknet_specVersion", "Return the version of the specification that the node implements."),
	light("starknet_chainId", "Return the chain id."),
	light("starknet_blockNumber", "Return the number of the newest block."),
	light("starknet_blockHashAndNumber", "Return the hash and the number of the newest block."),
	light("starknet_syncing", "Return how far the node is synchronised."),

	state("starknet_getStorageAt", "Return the value of a storage slot.",
		required("contract_address", "Felt"), required("key", "Felt"), blockID, responseFlags),
	state("starknet_getNonce", "Return the nonce of an account.", blockID, required("contract_address", "Felt")),
	state("starknet_getClassHashAt", "Return the class hash of a contract.", blockID, required("contract_address", "Felt")),
	state("starknet_getClassAt", "Return the class of a contract.", blockID, required("contract_address", "Felt")),
	state("starknet_getClass", "Return a class by its hash.", blockID, required("class_hash", "Felt")),
	state("starknet_call", "Call a view function.", required("request", "Object"), blockID),
	{Name: "starknet_getStorageProof", Class: account.RPCReadState, Permission: account.Read,
		Summary: "Return Merkle proofs of classes, contracts and storage slots: at most 32 targets, with at most 8 class hashes, 8 contract addresses, and 8 contracts of 16 storage keys each.",
		Params: []Param{blockID, optional("class_hashes", "Felts"), optional("contract_addresses", "Felts"),
			optional("contracts_storage_keys", "Objects")},
		maxAnswer: maxProof, tooLarge: ReasonProofTooLarge, checkParams: checkProof},
	{Name: "starknet_getCompiledCasm", Class: account.RPCReadState, Permission: account.Read,
		Summary: "Return the compiled class of a Sierra class.", Params: []Param{required("class_hash", "Felt")},
		maxAnswer: maxCasm, tooLarge: ReasonCasmTooLarge},

	history("starknet_getBlockWithTxHashes", "Return a block with the hashes of its transactions.", blockID),
	history("starknet_getBlockWithTxs", "Return a block with its transactions.", blockID, responseFlags),
	history("starknet_getBlockWithReceipts", "Return a block with its transactions and receipts.", blockID, responseFlags),
	history("starknet_getBlockTransactionCount", "Return the number of transactions of a block.", blockID),
	history("starknet_getStateUpdate", "Return the state diff of a block.", blockID, optional("contract_addresses", "Felts")),
	history("starknet_getTransactionByHash", "Return a transaction.", txHash, responseFlags),
	history("starknet_getTransactionByBlockIdAndIndex", "Return a transaction by its place in a block.",
		blockID, required("index", "Integer"), responseFlags),
	history("starknet_getTransactionReceipt", "Return the receipt of a transaction.", txHash),
	history("starknet_getTransactionStatus", "Return the status of a transaction.", txHash),
	history("starknet_getMessagesStatus", "Return the status of the messages of an L1 transaction.", txHash),
	history("starknet_getEvents", "Return a page of events.", required("filter", "Object")),

	simulation("starknet_estimateFee", "Estimate the fees of transactions.",
		required("request", "Objects"), required("simulation_flags", "Strings"), blockID),
	simulation("starknet_estimateMessageFee", "Estimate the fee of a message from L1.", required("message", "Object"), blockID),
	simulation("starknet_simulateTransactions", "Simulate transactions and return their traces.",
		blockID, required("transactions", "Objects"), required("simulation_flags", "Strings")),

	write("starknet_addInvokeTransaction", "Submit a signed invoke transaction.", "invoke_transaction"),
	write("starknet_addDeclareTransaction", "Submit a signed declare transaction.", "declare_transaction"),
	write("starknet_addDeployAccountTransaction", "Submit a signed transaction that deploys an account.", "deploy_account_transaction"),

	trace("starknet_traceTransaction", "Return the trace of a transaction.", completeTrace, txHash),
	trace("starknet_traceBlockTransactions", "Return the traces of all transactions of a block.", completeTraces,
		blockID, optional("trace_flags", "Strings")),

	subscription("starknet_subscribeNewHeads", "Subscribe to new blocks.", optional("block_id", "BlockID")),
	subscription("starknet_subscribeEvents", "Subscribe to events.", optional("from_address", "Any"),
		optional("keys", "Any"), optional("block_id", "BlockID"), optional("finality_status", "String")),
	subscription("starknet_subscribeTransactionStatus", "Subscribe to the status of a transaction.", txHash),
	subscription("starknet_subscribeNewTransactionReceipts", "Subscribe to receipts.",
		optional("finality_status", "Strings"), optional("sender_address", "Felts")),
	subscription("starknet_subscribeNewTransactions", "Subscribe to transactions.",
		optional("finality_status", "Strings"), optional("sender_address", "Felts"), optional("tags", "Strings")),
	subscription(Unsubscribe, "End a subscription.", required("subscription_id", "String")),
}

// Unsubscribe is the method that ends a subscription.
const Unsubscribe = "starknet_unsubscribe"

func light(name, summary string) Method {
	return Method{Name: name, Class: account.RPCReadLight, Permission: account.Read, Summary: summary}
}

func state(name, summary string, params ...Param) Method {
	return Method{Name: name, Class: account.RPCReadState, Permission: account.Read, Summary: summary, Params: params}
}

func history(name, summary string, params ...Param) Method {
	return Method{Name: name, Class: account.RPCReadHistory, Permission: account.Read, Summary: summary, Params: params}
}

func simulation(name, summary string, params ...Param) Method {
	return Method{Name: name, Class: account.RPCSimulation, Permission: account.Read, Summary: summary, Params: params}
}

func write(name, summary, param string) Method {
	return Method{Name: name, Class: account.RPCWrite, Permission: account.Write, Summary: summary, Params: []Param{required(param, "Object")}}
}

func trace(name, summary string, complete func(json.RawMessage) error, params ...Param) Method {
	return Method{Name: name, Class: account.RPCTrace, Permission: account.Trace, Summary: summary, Params: params,
		maxAnswer: maxTrace, tooLarge: ReasonTraceTooLarge, complete: complete}
}

func subscription(name, summary string, params ...Param) Method {
	return Method{Name: name, Class: account.RPCWebSocket, Permission: account.Read, Summary: summary, Params: params}
}
