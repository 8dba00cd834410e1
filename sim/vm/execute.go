package vm

import (
	"fmt"

	"astrolabe/sim/state"
	"astrolabe/starknet"
)

// Machine executes transactions on one chain.
type Machine struct {
	Library Library
	ChainID starknet.Felt
	// Strk and Eth are the token contracts in which fees are paid.
	Strk, Eth starknet.Felt
	// CompiledHash returns the compiled class hash of a class.
	CompiledHash func(class starknet.Felt) starknet.Felt
}

// Result is the result of an included transaction.
type Result struct {
	Receipt starknet.Receipt
	Trace   *Trace // nil if not requested
}

// Flags skip steps of the execution, as a simulation may request.
type Flags struct {
	SkipValidate bool
	SkipFee      bool
	Trace        bool
	// Trusted makes accounts accept the transaction whatever its signature is.
	Trusted bool
}

var (
	selectorValidate        = starknet.Selector("__validate__")
	selectorValidateDeclare = starknet.Selector("__validate_declare__")
	selectorValidateDeploy  = starknet.Selector("__validate_deploy__")
	selectorExecute         = starknet.Selector("__execute__")
	selectorTransfer        = starknet.Selector("transfer")
	validated               = starknet.MustShortString("VALID")
)

// Execute runs a transaction whose hash is set. An error means that the
// transaction cannot be included; the state is then unchanged. A transaction
// that fails inside its calls is not an error but a reverted result.
func (m *Machine) Execute(on *state.Overlay, block *starknet.PreConfirmedHeader, t *starknet.Transaction, flags Flags) (*Result, error) {
	x := &execution{machine: m, flags: flags, run: &run{
		library: m.Library, state: on, block: block, transaction: t, trusted: flags.Trusted, tracing: flags.Trace, maxEvents: MaxEvents,
	}}
	x.trace.Type = t.Type
	mark := on.Mark()
	if err := x.transaction(t); err != nil {
		on.Revert(mark)
		return nil, err
	}
	return x.result(t), nil
}

// execution is the execution of one transaction.
type execution struct {
	machine *Machine
	flags   Flags
	*run
	failure error // the calls were reverted
	payment starknet.FeePayment
	used    starknet.ExecutionResources
	trace   Trace
}

func (x *execution) transaction(t *starknet.Transaction) error {
	x.payment.Unit = starknet.Wei
	switch {
	case t.Type == starknet.L1Handler:
		x.attempt(L1Handler, t.ContractAddress, starknet.Felt{}, t.EntryPointSelector, t.Calldata, &x.trace.FunctionInvocation)
		x.used = x.cost()
		return nil
	case t.Type == starknet.Invoke && t.Version.Number == 0:
		x.attempt(External, t.ContractAddress, starknet.Felt{}, t.EntryPointSelector, t.Calldata, &x.trace.ExecuteInvocation)
		x.used = x.cost()
		return nil
	case t.Type == starknet.Deploy:
		if err := x.deploy(t.DeployedAddress(), t.ClassHash, starknet.Felt{}, t.ConstructorCalldata, nil); err != nil {
			return err
		}
		// The specification has no trace of this type.
		x.trace.Type, x.trace.ConstructorInvocation = starknet.DeployAccount, x.lastTrace
		x.used = x.cost()
		return nil
	case t.Type == starknet.Declare && t.Version.Number == 0:
		x.used = x.cost()
		return x.declare(t)
	}
	if err := x.effect(t); err != nil {
		return err
	}
	x.used = x.cost()
	return x.pay(t)
}

// effect validates the transaction and executes it.
func (x *execution) effect(t *starknet.Transaction) error {
	switch t.Type {
	case starknet.Invoke:
		if err := x.authorise(t, t.SenderAddress, selectorValidate, t.Calldata); err != nil {
			return err
		}
		x.attempt(External, t.SenderAddress, starknet.Felt{}, selectorExecute, t.Calldata, &x.trace.ExecuteInvocation)
		return nil
	case starknet.Declare:
		if err := x.authorise(t, t.SenderAddress, selectorValidateDeclare, []starknet.Felt{t.ClassHash}); err != nil {
			return err
		}
		return x.declare(t)
	case starknet.DeployAccount:
		return x.deployAccount(t)
	}
	return fmt.Errorf("%w: %s %s", ErrVersion, t.Type, t.Version)
}

// declare declares a class: one of Cairo 0 before version 2.
func (x *execution) declare(t *starknet.Transaction) error {
	declared := state.DeclaredCell(t.ClassHash)
	if !x.state.Read(declared).IsZero() {
		return ErrAlreadyDeclared
	}
	if t.Version.Number < 2 {
		x.state.Write(declared, state.Cairo0)
		return nil
	}
	if compiled := x.machine.CompiledHash(t.ClassHash); t.CompiledClassHash != compiled {
		return fmt.Errorf("%w: got %s, want %s", ErrCompiledHash, t.CompiledClassHash, compiled)
	}
	x.state.Write(declared, t.CompiledClassHash)
	return nil
}

// authorise checks the nonce and the account, calls the account's validation
// and increments the nonce.
func (x *execution) authorise(t *starknet.Transaction, sender, selector starknet.Felt, calldata []starknet.Felt) error {
	nonce := state.NonceCell(sender)
	class, err := x.classAt(sender)
	if err != nil || class.Program == nil || !class.Program.Has("__execute__") {
		return ErrNotAccount
	}
	current := x.state.Read(nonce)
	if current != t.Nonce {
		return fmt.Errorf("%w: got %s, want %s", ErrNonce, t.Nonce, current)
	}
	count, _ := current.Uint64()
	x.state.Write(nonce, starknet.FeltFromUint64(count+1))
	if x.flags.SkipValidate {
		return nil
	}
	if len(t.Signature) == 0 {
		return fmt.Errorf("%w: the signature is empty", ErrValidation)
	}
	result, err := x.call(External, sender, starknet.Felt{}, selector, calldata, nil)
	if err != nil || len(result) != 1 || result[0] != validated {
		return fmt.Errorf("%w: %w", ErrValidation, err)
	}
	x.trace.ValidateInvocation = x.lastTrace
	return nil
}

func (x *execution) deployAccount(t *starknet.Transaction) error {
	address := t.DeployedAddress()
	if !t.Nonce.IsZero() {
		return fmt.Errorf("%w: got %s, want 0x0", ErrNonce, t.Nonce)
	}
	if err := x.deploy(address, t.ClassHash, starknet.Felt{}, t.ConstructorCalldata, nil); err != nil {
		return err
	}
	x.trace.ConstructorInvocation = x.lastTrace
	calldata := append([]starknet.Felt{t.ClassHash, t.ContractAddressSalt}, t.ConstructorCalldata...)
	return x.authorise(t, address, selectorValidateDeploy, calldata)
}

// attempt runs the revertible part of a transaction.
func (x *execution) attempt(kind EntryPointType, address, caller, selector starknet.Felt, calldata []starknet.Felt, traced *any) {
	mark := x.state.Mark()
	if _, x.failure = x.call(kind, address, caller, selector, calldata, nil); x.failure == nil {
		if x.tracing {
			*traced = x.lastTrace
		}
		return
	}
	x.state.Revert(mark)
	x.events, x.messages = nil, nil
	*traced = Failure{x.failure.Error()}
}

// pay transfers the fee to the sequencer. Its event is the transaction's last
// one.
func (x *execution) pay(t *starknet.Transaction) error {
	fee, unit := Fee(x.used, x.block, t.Version.Number)
	x.payment = starknet.FeePayment{Amount: fee, Unit: unit}
	if x.flags.SkipFee || fee.IsZero() {
		return nil
	}
	if !covers(t, fee) {
		return ErrResources
	}
	payer, _ := t.From()
	token := x.machine.Eth
	if unit == starknet.Fri {
		token = x.machine.Strk
	}
	x.maxEvents++ // the fee's event does not count
	if _, err := x.call(External, token, payer, selectorTransfer, []starknet.Felt{x.block.SequencerAddress, fee, {}}, nil); err != nil {
		return fmt.Errorf("%w: %w", ErrBalance, err)
	}
	x.trace.FeeTransferInvocation = x.lastTrace
	return nil
}

// covers reports whether the transaction's own limits allow the fee.
func covers(t *starknet.Transaction, fee starknet.Felt) bool {
	return MaxFee(t).Cmp(fee.Big()) >= 0
}

func (x *execution) result(t *starknet.Transaction) *Result {
	receipt := starknet.Receipt{
		Type: t.Type, TransactionHash: t.Hash, ActualFee: x.payment,
		ExecutionStatus: starknet.Succeeded, FinalityStatus: starknet.AcceptedOnL2,
		MessagesSent: x.messages, Events: x.events, ExecutionResources: x.used,
	}
	if receipt.MessagesSent == nil {
		receipt.MessagesSent = []starknet.MessageToL1{}
	}
	if receipt.Events == nil {
		receipt.Events = []starknet.Event{}
	}
	if x.failure != nil {
		receipt.ExecutionStatus = starknet.Reverted
		receipt.RevertReason = "Transaction execution has failed:\n" + x.failure.Error()
	}
	switch t.Type {
	case starknet.DeployAccount, starknet.Deploy:
		address := t.DeployedAddress()
		receipt.ContractAddress = &address
	case starknet.L1Handler:
		if message, ok := t.L1Message(); ok {
			hash := message.Hash()
			receipt.MessageHash = &hash
		}
	}
	result := &Result{Receipt: receipt}
	if x.flags.Trace {
		x.trace.ExecutionResources = x.used
		result.Trace = &x.trace
	}
	return result
}

// Place creates a contract at a chosen address and runs its constructor, as
// block 0 does. Events and messages of the constructor are discarded.
func (m *Machine) Place(on *state.Overlay, block *starknet.PreConfirmedHeader, address, class starknet.Felt, calldata []starknet.Felt) error {
	r := &run{library: m.Library, state: on, block: block, maxEvents: MaxEvents}
	return r.deploy(address, class, starknet.Felt{}, calldata, nil)
}
