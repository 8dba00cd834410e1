package rpc

import (
	"slices"

	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// feeEstimate is the specification's FEE_ESTIMATE.
type feeEstimate struct {
	L1Gas          starknet.HexUint64 `json:"l1_gas_consumed"`
	L1GasPrice     starknet.Felt      `json:"l1_gas_price"`
	L2Gas          starknet.HexUint64 `json:"l2_gas_consumed"`
	L2GasPrice     starknet.Felt      `json:"l2_gas_price"`
	L1DataGas      starknet.HexUint64 `json:"l1_data_gas_consumed"`
	L1DataGasPrice starknet.Felt      `json:"l1_data_gas_price"`
	OverallFee     starknet.Felt      `json:"overall_fee"`
	Unit           starknet.FeeUnit   `json:"unit"`
}

func estimate(used starknet.ExecutionResources, h *starknet.PreConfirmedHeader, unit starknet.FeeUnit) feeEstimate {
	version, price := uint64(1), func(p starknet.ResourcePrice) starknet.Felt { return p.PriceInWei }
	if unit == starknet.Fri {
		version, price = 3, func(p starknet.ResourcePrice) starknet.Felt { return p.PriceInFri }
	}
	fee, _ := vm.Fee(used, h, version)
	return feeEstimate{
		starknet.HexUint64(used.L1Gas), price(h.L1GasPrice), starknet.HexUint64(used.L2Gas), price(h.L2GasPrice),
		starknet.HexUint64(used.L1DataGas), price(h.L1DataGasPrice), fee, unit,
	}
}

// simulated is the result of one transaction.
type simulated struct {
	Trace *vm.Trace   `json:"transaction_trace"`
	Fee   feeEstimate `json:"fee_estimation"`
}

// runAll executes transactions one after the other on the state of a block.
func (s *Server) runAll(method string, id blockID, transactions []starknet.BroadcastedTransaction, flags vm.Flags) ([]simulated, error) {
	outcomes := make([]simulated, 0, len(transactions))
	err := s.readState(method, id, func(base state.Reader, header *starknet.PreConfirmedHeader) error {
		on := state.NewOverlay(base)
		for i := range transactions {
			t := &transactions[i].Transaction
			hash, err := t.ComputeHash(s.chainID)
			if err != nil {
				return invalidParams("transaction %d: %v", i, err)
			}
			t.Hash = hash
			result, err := s.chain.Simulate(on, header, t, flags)
			if err != nil {
				return executionError(i, err)
			}
			outcomes = append(outcomes, simulated{result.Trace, estimate(result.Receipt.ExecutionResources, header, starknet.Fri)})
		}
		return nil
	})
	return outcomes, err
}

func (s *Server) estimateFee(method string, p params) (any, error) {
	var transactions []starknet.BroadcastedTransaction
	var flags []string
	var id blockID
	if err := required(p, 0, &transactions); err != nil {
		return nil, err
	}
	if err := optional(p, 1, &flags); err != nil {
		return nil, err
	}
	if err := required(p, 2, &id); err != nil {
		return nil, err
	}
	outcomes, err := s.runAll(method, id, transactions, vm.Flags{SkipValidate: slices.Contains(flags, "SKIP_VALIDATE"), SkipFee: true})
	if err != nil {
		return nil, err
	}
	fees := make([]feeEstimate, len(outcomes))
	for i := range outcomes {
		fees[i] = outcomes[i].Fee
	}
	return fees, nil
}

func (s *Server) simulate(method string, p params) (any, error) {
	var transactions []starknet.BroadcastedTransaction
	var flags []string
	var id blockID
	if err := required(p, 0, &id); err != nil {
		return nil, err
	}
	if err := required(p, 1, &transactions); err != nil {
		return nil, err
	}
	if err := optional(p, 2, &flags); err != nil {
		return nil, err
	}
	outcomes, err := s.runAll(method, id, transactions, vm.Flags{
		Trace: true, SkipValidate: slices.Contains(flags, "SKIP_VALIDATE"), SkipFee: slices.Contains(flags, "SKIP_FEE_CHARGE"),
	})
	if err == nil && slices.Contains(flags, "RETURN_INITIAL_READS") {
		return map[string]any{"simulated_transactions": outcomes, "initial_reads": struct{}{}}, nil
	}
	return outcomes, err
}

func (s *Server) estimateMessageFee(method string, p params) (result any, err error) {
	var message struct {
		From     starknet.Felt   `json:"from_address"`
		To       starknet.Felt   `json:"to_address"`
		Selector starknet.Felt   `json:"entry_point_selector"`
		Payload  []starknet.Felt `json:"payload"`
	}
	var id blockID
	if err := required(p, 0, &message); err != nil {
		return nil, err
	}
	if err := required(p, 1, &id); err != nil {
		return nil, err
	}
	t := starknet.Transaction{
		Type: starknet.L1Handler, ContractAddress: message.To, EntryPointSelector: message.Selector,
		Calldata: append([]starknet.Felt{message.From}, message.Payload...),
	}
	err = s.readState(method, id, func(on state.Reader, header *starknet.PreConfirmedHeader) error {
		if err := exists(on, message.To); err != nil {
			return err
		}
		outcome, err := s.chain.Simulate(state.NewOverlay(on), header, &t, vm.Flags{})
		if err != nil {
			return err
		}
		if outcome.Receipt.ExecutionStatus == starknet.Reverted {
			return &Error{40, "Contract error", map[string]any{"revert_error": outcome.Receipt.RevertReason}}
		}
		result = estimate(outcome.Receipt.ExecutionResources, header, starknet.Wei)
		return nil
	})
	return result, err
}
