package wire

import "astrolabe/starknet"

type transaction = starknet.Transaction

var resourceBoundShape = shapeOf(
	parsed("max_amount", func(b *starknet.ResourceBound) *starknet.HexUint64 { return &b.MaxAmount }),
	parsed("max_price_per_unit", func(b *starknet.ResourceBound) *starknet.Uint128 { return &b.MaxPricePerUnit }),
)

var resourceBoundsShape = shapeOf(
	object("l1_gas", resourceBoundShape, func(b *starknet.ResourceBounds) *starknet.ResourceBound { return &b.L1Gas }),
	object("l2_gas", resourceBoundShape, func(b *starknet.ResourceBounds) *starknet.ResourceBound { return &b.L2Gas }),
	object("l1_data_gas", resourceBoundShape, func(b *starknet.ResourceBounds) *starknet.ResourceBound { return &b.L1DataGas }),
)

// transactionShape is the union of all transactions. transactionNeeds lists the
// required members.
var transactionShape = shapeOf(
	enum("type", func(t *transaction) *starknet.TransactionType { return &t.Type },
		starknet.Invoke, starknet.L1Handler, starknet.DeployAccount, starknet.Declare, starknet.Deploy),
	parsed("version", func(t *transaction) *starknet.Version { return &t.Version }),
	optional(felt("transaction_hash", func(t *transaction) *starknet.Felt { return &t.Hash })),
	optional(felt("sender_address", func(t *transaction) *starknet.Felt { return &t.SenderAddress })),
	optional(felt("contract_address", func(t *transaction) *starknet.Felt { return &t.ContractAddress })),
	optional(felt("entry_point_selector", func(t *transaction) *starknet.Felt { return &t.EntryPointSelector })),
	optional(felts("calldata", func(t *transaction) *[]starknet.Felt { return &t.Calldata })),
	optional(felt("nonce", func(t *transaction) *starknet.Felt { return &t.Nonce })),
	optional(felt("max_fee", func(t *transaction) *starknet.Felt { return &t.MaxFee })),
	optional(felts("signature", func(t *transaction) *[]starknet.Felt { return &t.Signature })),
	optional(felt("class_hash", func(t *transaction) *starknet.Felt { return &t.ClassHash })),
	optional(felt("compiled_class_hash", func(t *transaction) *starknet.Felt { return &t.CompiledClassHash })),
	optional(felt("contract_address_salt", func(t *transaction) *starknet.Felt { return &t.ContractAddressSalt })),
	optional(felts("constructor_calldata", func(t *transaction) *[]starknet.Felt { return &t.ConstructorCalldata })),
	optional(object("resource_bounds", resourceBoundsShape, func(t *transaction) *starknet.ResourceBounds { return &t.ResourceBounds })),
	optional(parsed("tip", func(t *transaction) *starknet.HexUint64 { return &t.Tip })),
	optional(felts("paymaster_data", func(t *transaction) *[]starknet.Felt { return &t.PaymasterData })),
	optional(felts("account_deployment_data", func(t *transaction) *[]starknet.Felt { return &t.AccountDeploymentData })),
	optional(parsed("nonce_data_availability_mode", func(t *transaction) *starknet.DataAvailability { return &t.NonceDataAvailabilityMode })),
	optional(parsed("fee_data_availability_mode", func(t *transaction) *starknet.DataAvailability { return &t.FeeDataAvailabilityMode })),
	optional(felts("proof_facts", func(t *transaction) *[]starknet.Felt { return &t.ProofFacts })),
)

type transactionKind struct {
	kind    starknet.TransactionType
	version uint64
}

const version3Needs = " signature nonce resource_bounds tip paymaster_data nonce_data_availability_mode fee_data_availability_mode"

// transactionNeeds holds the members that each kind of transaction must have.
// A kind that is not listed does not exist.
var transactionNeeds = map[transactionKind]uint64{
	{starknet.Invoke, 0}:        transactionShape.set("max_fee signature contract_address entry_point_selector calldata"),
	{starknet.Invoke, 1}:        transactionShape.set("sender_address calldata max_fee signature nonce"),
	{starknet.Invoke, 3}:        transactionShape.set("sender_address calldata account_deployment_data" + version3Needs),
	{starknet.Declare, 0}:       transactionShape.set("sender_address max_fee signature class_hash"),
	{starknet.Declare, 1}:       transactionShape.set("sender_address max_fee signature nonce class_hash"),
	{starknet.Declare, 2}:       transactionShape.set("sender_address compiled_class_hash max_fee signature nonce class_hash"),
	{starknet.Declare, 3}:       transactionShape.set("sender_address compiled_class_hash class_hash account_deployment_data" + version3Needs),
	{starknet.Deploy, 0}:        transactionShape.set("contract_address_salt constructor_calldata class_hash"),
	{starknet.Deploy, 1}:        transactionShape.set("contract_address_salt constructor_calldata class_hash"),
	{starknet.DeployAccount, 1}: transactionShape.set("max_fee signature nonce contract_address_salt constructor_calldata class_hash"),
	{starknet.DeployAccount, 3}: transactionShape.set("contract_address_salt constructor_calldata class_hash" + version3Needs),
	{starknet.L1Handler, 0}:     transactionShape.set("nonce contract_address entry_point_selector calldata"),
}

// readTransaction reads a transaction that was executed on chain. Fields of other
// types and versions are dropped: nothing proves them.
func readTransaction(r *reader, t *transaction) {
	filled := transactionShape.read(r, t)
	needed, exists := transactionNeeds[transactionKind{t.Type, t.Version.Number}]
	if r.err == nil && (!exists || t.Version.Query) {
		r.fail("a transaction of type %s and version %s does not exist", t.Type, t.Version)
	}
	transactionShape.demand(r, needed, filled)
	t.DropForeignFields()
}
