package facts

import "astrolabe/starknet"

// Block is all rows of one block, in the order of their keys.
type Block struct {
	Header Header

	// From the node.
	Transactions []Transaction
	Events       []Event
	Messages     []Message
	Declarations []Declaration
	Changes      []ClassChange
	// Implementations are what proxy slots hold.
	Implementations []Implementation

	// Derived.
	Deployments []Deployment
	Transfers   []Transfer
	Untyped     []UntypedTransfer
	PoolEvents  []PoolEvent
	Activity    []Activity
	Tokens      []Token

	// Classes are those that this block names first.
	Classes []*Class
}

// Header is a block's header.
type Header struct {
	Number       uint64
	Hash         starknet.Felt
	ParentHash   starknet.Felt
	StateRoot    starknet.Felt
	Sequencer    starknet.Felt
	Timestamp    uint64 // Unix seconds
	Version      string // of Starknet; empty in the oldest blocks
	L1DAMode     starknet.L1DAMode
	L1Gas        starknet.ResourcePrice
	L1DataGas    starknet.ResourcePrice
	L2Gas        starknet.ResourcePrice
	Transactions int
	Events       int
	// Verification is how far the node's answers were checked; empty means
	// Unverified.
	Verification Verification
}

// Transaction is a transaction with its outcome. A nil felt means that its
// type and version have no such field.
type Transaction struct {
	Index    int
	Hash     starknet.Felt
	Type     starknet.TransactionType
	Version  uint64
	Sender   *starknet.Felt // the account that sent it, or that it deploys
	Contract *starknet.Felt // the contract that it calls or deploys directly
	Selector *starknet.Felt // the entry point that it calls directly
	Class    *starknet.Felt // the class that it declares or deploys
	Nonce    *starknet.Felt
	Calldata []starknet.Felt // the constructor's, where it deploys
	Envelope
	Reverted     bool
	RevertReason string
	Fee          starknet.Felt
	FeeUnit      starknet.FeeUnit
	Resources    starknet.ExecutionResources
}

// Event is an event with its place in the block.
type Event struct {
	TxIndex  int
	LogIndex int // within the transaction
	starknet.Event
}

// Direction is the way of a message between the layers.
type Direction string

// The two directions.
const (
	L1ToL2 Direction = "l1_to_l2"
	L2ToL1 Direction = "l2_to_l1"
)

// Message is a message between the layers. From L2 to L1 the same hash can
// occur many times; its key is its place.
type Message struct {
	TxIndex   int
	Direction Direction
	Index     int // in the transaction's messages of this direction
	Hash      starknet.Hash256
	From      starknet.Felt
	To        starknet.Felt
	Nonce     *starknet.Felt // nil from L2 to L1
	Selector  *starknet.Felt // nil from L2 to L1
	Payload   []starknet.Felt
}

// Declaration is a class that this block declares.
type Declaration struct {
	Class    starknet.Felt
	Compiled *starknet.Felt // nil for a Cairo 0 class
	TxIndex  *int           // nil when no transaction of the block names it
}

// Origin says how a contract's class became known.
type Origin string

// The origins. An observed class was set before the block of its row, in
// history that is not indexed.
const (
	Observed Origin = "observed"
	Deployed Origin = "deployed"
	Replaced Origin = "replaced"
)

// ClassChange is a contract's class from this block on.
type ClassChange struct {
	Address starknet.Felt
	Origin  Origin
	Class   starknet.Felt
}

// Evidence is the source of a deployment.
type Evidence string

// The kinds of evidence, from the weakest to the strongest.
const (
	FromStateDiff     Evidence = "state_diff"     // the contract is new, with an unknown deployer
	FromDeployerEvent Evidence = "deployer_event" // the universal deployer's event names it
	FromTransaction   Evidence = "transaction"    // the transaction itself deploys it
)

// Deployment is a contract that came into being in this block.
type Deployment struct {
	Address  starknet.Felt
	Class    starknet.Felt
	Evidence Evidence
	TxIndex  *int           // nil if only the state diff shows it
	Deployer *starknet.Felt // nil when unknown
}

// Standard is a token standard.
type Standard string

// The standards.
const (
	ERC20   Standard = "erc20"
	ERC721  Standard = "erc721"
	ERC1155 Standard = "erc1155"
)

// Transfer is one movement of a token. A batch is several of them.
type Transfer struct {
	TxIndex  int
	LogIndex int
	Index    int // within the event
	Standard Standard
	Token    starknet.Felt
	From     starknet.Felt     // zero: minted
	To       starknet.Felt     // zero: burned
	Amount   *starknet.Uint256 // nil for ERC-721
	TokenID  *starknet.Uint256 // nil for ERC-20
}

// Kinds is the set of activities of an address in one transaction.
type Kinds uint16

// The kinds of activity.
const (
	TxSent Kinds = 1 << iota
	TxReceived
	TransferIn
	TransferOut
	TransferSelf
	ContractDeployed
	ContractUpgraded
)

// Activity is the activity of one address in one transaction.
type Activity struct {
	Address starknet.Felt
	TxIndex int
	Kinds   Kinds
	Items   int // number of activity items: each transfer counts
}
