package chain

import (
	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// Traces executes a block of the window again and returns the traces of its
// transactions, each with its state diff. It returns ErrNotRetained if the
// state before the block was dropped.
func (c *Chain) Traces(number uint64) ([]*vm.Trace, error) {
	b, err := c.Block(number)
	if err != nil {
		return nil, err
	}
	if number == 0 {
		return []*vm.Trace{}, nil
	}
	traces := make([]*vm.Trace, 0, len(b.Transactions))
	err = c.ReadAt(number-1, func(view state.View, _ *Block) error {
		on := state.NewOverlay(view)
		for i := range b.Transactions {
			result, err := c.Simulate(on, &b.Header.PreConfirmedHeader, &b.Transactions[i], vm.Flags{Trace: true, Trusted: true})
			if err != nil {
				return err
			}
			traces = append(traces, result.Trace)
		}
		return nil
	})
	return traces, err
}

// Simulate executes a transaction on a state, which it changes, and adds its
// state diff to the trace.
func (c *Chain) Simulate(on *state.Overlay, header *starknet.PreConfirmedHeader, t *starknet.Transaction, flags vm.Flags) (*vm.Result, error) {
	step := state.NewOverlay(on)
	result, err := c.config.Machine.Execute(step, header, t, flags)
	if err != nil {
		return nil, err
	}
	changes := step.Changes()
	for _, change := range changes {
		on.Write(change.Cell, change.New)
	}
	if result.Trace != nil {
		diff := state.Diff(changes)
		result.Trace.StateDiff = &diff
	}
	return result, nil
}
