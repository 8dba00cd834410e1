package vm

import (
	"astrolabe/sim/state"
	"astrolabe/starknet"
)

// Limits of the real chain, which the simulation enforces.
const (
	MaxEvents    = 1000 // of one transaction
	MaxKeys      = 50
	MaxData      = 300
	maxCallDepth = 40
	maxCalls     = 20_000 // of one transaction
)

// Call is a running entry point, with the operations that a program may use.
type Call struct {
	Address   starknet.Felt
	Caller    starknet.Felt
	ClassHash starknet.Felt
	Selector  starknet.Felt
	Calldata  []starknet.Felt

	run   *run
	kind  EntryPointType
	depth int
	trace *Invocation // nil without a trace
}

// Load reads a storage cell of the contract.
func (c *Call) Load(key starknet.Felt) starknet.Felt {
	return c.run.state.Read(state.StorageCell(c.Address, key))
}

// Store writes a storage cell of the contract.
func (c *Call) Store(key, value starknet.Felt) {
	c.run.state.Write(state.StorageCell(c.Address, key), value)
	c.run.usage.writes++
}

// Emit emits an event. It fails beyond the chain's limits. The call keeps the slices.
func (c *Call) Emit(keys, data []starknet.Felt) error {
	if len(keys) > MaxKeys || len(data) > MaxData || len(c.run.events) >= c.run.maxEvents {
		return Panic("Event limits exceeded")
	}
	if data == nil {
		data = []starknet.Felt{}
	}
	c.run.events = append(c.run.events, starknet.Event{FromAddress: c.Address, Keys: keys, Data: data})
	if c.trace != nil {
		c.trace.Events = append(c.trace.Events, OrderedEvent{Order: len(c.run.events) - 1, Keys: keys, Data: data})
	}
	return nil
}

// SendToL1 sends a message to an L1 contract.
func (c *Call) SendToL1(to starknet.Felt, payload []starknet.Felt) {
	message := starknet.MessageToL1{FromAddress: c.Address, ToAddress: to, Payload: payload}
	c.run.messages = append(c.run.messages, message)
	if c.trace != nil {
		c.trace.Messages = append(c.trace.Messages, OrderedMessage{Order: len(c.run.messages) - 1, MessageToL1: message})
	}
}

// Invoke calls an external function of another contract.
func (c *Call) Invoke(address, selector starknet.Felt, calldata ...starknet.Felt) ([]starknet.Felt, error) {
	return c.run.call(External, address, c.Address, selector, calldata, c)
}

// LibraryCall runs a function of another class on the contract's own storage,
// for the same caller. An L1 handler calls an L1 handler.
func (c *Call) LibraryCall(class, selector starknet.Felt, calldata ...starknet.Felt) ([]starknet.Felt, error) {
	kind := c.kind
	if kind == Constructor {
		kind = External
	}
	return c.run.libraryCall(kind, class, selector, calldata, c)
}

// Deploy creates a contract and runs its constructor. The address depends on the deployer,
// which is zero for contracts that any account could have deployed.
func (c *Call) Deploy(class, salt, deployer starknet.Felt, calldata []starknet.Felt) (starknet.Felt, error) {
	address := starknet.ContractAddress(deployer, salt, class, calldata)
	return address, c.run.deploy(address, class, c.Address, calldata, c)
}

// ReplaceClass changes the contract's class from the next call on.
func (c *Call) ReplaceClass(class starknet.Felt) error {
	if c.run.state.Read(state.DeclaredCell(class)).IsZero() {
		return Panic("Class not declared")
	}
	c.run.state.Write(state.ClassCell(c.Address), class)
	return nil
}

// Block returns the block that the call runs in.
func (c *Call) Block() *starknet.PreConfirmedHeader { return c.run.block }

// Trusted reports whether the signature of the transaction need not be checked.
func (c *Call) Trusted() bool { return c.run.trusted }

// Transaction returns the transaction of the call, or nil for a read.
func (c *Call) Transaction() *starknet.Transaction { return c.run.transaction }
