package wire

import "astrolabe/starknet"

var eventShape = shapeOf(
	felt("from_address", func(e *starknet.Event) *starknet.Felt { return &e.FromAddress }),
	felts("keys", func(e *starknet.Event) *[]starknet.Felt { return &e.Keys }),
	felts("data", func(e *starknet.Event) *[]starknet.Felt { return &e.Data }),
)

var messageShape = shapeOf(
	felt("from_address", func(m *starknet.MessageToL1) *starknet.Felt { return &m.FromAddress }),
	felt("to_address", func(m *starknet.MessageToL1) *starknet.Felt { return &m.ToAddress }),
	felts("payload", func(m *starknet.MessageToL1) *[]starknet.Felt { return &m.Payload }),
)

var feeShape = shapeOf(
	felt("amount", func(f *starknet.FeePayment) *starknet.Felt { return &f.Amount }),
	enum("unit", func(f *starknet.FeePayment) *starknet.FeeUnit { return &f.Unit }, starknet.Fri, starknet.Wei),
)

var resourcesShape = shapeOf(
	number("l1_gas", func(r *starknet.ExecutionResources) *uint64 { return &r.L1Gas }),
	number("l1_data_gas", func(r *starknet.ExecutionResources) *uint64 { return &r.L1DataGas }),
	number("l2_gas", func(r *starknet.ExecutionResources) *uint64 { return &r.L2Gas }),
)

var receiptShape = shapeOf(
	enum("type", func(r *starknet.Receipt) *starknet.TransactionType { return &r.Type },
		starknet.Invoke, starknet.L1Handler, starknet.DeployAccount, starknet.Declare, starknet.Deploy),
	felt("transaction_hash", func(r *starknet.Receipt) *starknet.Felt { return &r.TransactionHash }),
	object("actual_fee", feeShape, func(r *starknet.Receipt) *starknet.FeePayment { return &r.ActualFee }),
	enum("execution_status", func(r *starknet.Receipt) *starknet.ExecutionStatus { return &r.ExecutionStatus },
		starknet.Succeeded, starknet.Reverted),
	optional(text("revert_reason", func(r *starknet.Receipt) *string { return &r.RevertReason })),
	enum("finality_status", func(r *starknet.Receipt) *starknet.FinalityStatus { return &r.FinalityStatus },
		starknet.AcceptedOnL2, starknet.AcceptedOnL1, starknet.PreConfirmed),
	list("messages_sent", messageShape, func(r *starknet.Receipt) *[]starknet.MessageToL1 { return &r.MessagesSent }),
	list("events", eventShape, func(r *starknet.Receipt) *[]starknet.Event { return &r.Events }),
	object("execution_resources", resourcesShape, func(r *starknet.Receipt) *starknet.ExecutionResources { return &r.ExecutionResources }),
	optional(member[starknet.Receipt]{name: "contract_address", read: func(r *reader, v *starknet.Receipt) {
		v.ContractAddress = new(r.felt())
	}}),
	optional(parsed("message_hash", func(r *starknet.Receipt) *starknet.Hash256 {
		r.MessageHash = new(starknet.Hash256)
		return r.MessageHash
	})),
)
