package rpc

import (
	"net/http"

	"astrolabe/domain/account"
	"astrolabe/rest/frame"
)

// The paths of the gateway.
const (
	path       = "/v1/{chain}/rpc"
	socketPath = "/v1/{chain}/rpc/ws"
	keyedPath  = "/rpc/v0_10/{chain}/{key}"
)

// keyParam is the key of the keyed node URL.
var keyParam = frame.Param{Name: "key", In: frame.InPath, Kind: frame.TextKind, Required: true,
	About: "API key. A URL that contains one is a secret."}

// proof are the tests of the gateway.
var proof = []string{"TestEveryRowOfTheErrorTableIsProduced", "TestOddSpellingsAreForwardedUnchangedOrRefused",
	"TestResultsAndNodeErrorsPassUnchanged", "TestBatchIsAnsweredInOrderAndNotificationsAreNot", "TestWriteIsNeverSentTwice"}

// socketProof are the tests of its WebSockets.
var socketProof = []string{"TestReadsWritesAndBatchesOverASocketAreThoseOverHTTP", "TestIdenticalSubscriptionsShareOneAtTheNode",
	"TestMissedHeadsAreDeliveredInOrderOnce"}

// Operations are the routes of the gateway.
func (h Handlers) Operations() []frame.Operation {
	call := frame.Operation{
		ID: "callRpc", Method: http.MethodPost, Path: path,
		Summary: "Call methods of a Starknet node over JSON-RPC 2.0.",
		Params:  []frame.Param{frame.ChainParam},
		Request: "RpcRequestBody", MaxBody: maxBody,
		Permission: account.Read, Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: timeout, Cache: "no-store",
		Success: http.StatusOK, Body: "RpcResponseBody", Failure: "RpcFailure",
		Proof: proof, Serve: h.Serve,
	}
	keyed := call
	keyed.ID, keyed.Path = "callRpcByKeyedUrl", keyedPath
	keyed.Summary = "Call methods of a Starknet node over JSON-RPC 2.0, with the key in the URL."
	keyed.Params = []frame.Param{frame.ChainParam, keyParam}
	socket := frame.Operation{
		ID: "openRpcSocket", Method: http.MethodGet, Path: socketPath,
		Summary:    "Open a WebSocket for JSON-RPC 2.0, with subscriptions.",
		Params:     []frame.Param{frame.ChainParam},
		Permission: account.Read, Class: frame.Heavy, RPCClass: account.RPCWebSocket, Cert: frame.Beta, Audience: frame.External, Timeout: timeout, Cache: "no-store",
		Success: http.StatusSwitchingProtocols, Failure: "RpcFailure",
		Proof: socketProof, Serve: h.ServeSocket,
	}
	keyedSocket := socket
	keyedSocket.ID, keyedSocket.Path = "openRpcSocketByKeyedUrl", keyedPath
	keyedSocket.Summary = "Open a WebSocket for JSON-RPC 2.0, with the key in the URL."
	keyedSocket.Params = keyed.Params
	return []frame.Operation{call, keyed, socket, keyedSocket, h.traceOperation()}
}
