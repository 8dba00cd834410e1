package account

// Class is a rate-limit class: a route class of REST or an RPC class of the
// gateway.
type Class string

// The classes. The contract names them in X-Service-Route-Class and
// X-Ratelimit-Policy.
const (
	Light Class = "light"
	Heavy Class = "heavy"
	Bulk  Class = "batch"

	RPCReadLight   Class = "rpc_read_light"
	RPCReadState   Class = "rpc_read_state"
	RPCReadHistory Class = "rpc_read_history"
	RPCSimulation  Class = "rpc_simulation"
	RPCWrite       Class = "rpc_write"
	RPCTrace       Class = "rpc_trace"
	RPCWebSocket   Class = "rpc_ws"
	RPCProve       Class = "rpc_prove" // not limited by rate: proof jobs have budgets of their own

	// Query is GraphQL's: an operation is charged its cost.
	Query Class = "graphql"
)

// Budgets are how much of each class a caller may use in a Window.
type Budgets map[Class]int

// Usual are the budgets of a self-serve key. The contract fixes the first
// three.
var Usual = Budgets{
	Light: 600, Heavy: 240, Bulk: 60,
	RPCReadLight: 600, RPCReadState: 240, RPCReadHistory: 240, RPCSimulation: 60,
	RPCWrite: 60, RPCTrace: 60, RPCWebSocket: 60,
	Query: 600_000,
}

// The budgets of proof jobs, which are no rate limits: jobs that have not ended, and
// new jobs in a UTC day.
const (
	ProveConcurrent Class = "prove_concurrent"
	ProveDaily      Class = "prove_daily"
)

// settable reports whether a key may have its own budget of a class.
func (c Class) settable() bool {
	_, limited := Usual[c]
	return limited || c == ProveConcurrent || c == ProveDaily
}

// Of returns the budget of a class: the override, else the usual one.
func (b Budgets) Of(c Class) int {
	if n, ok := b[c]; ok {
		return n
	}
	return Usual[c]
}
