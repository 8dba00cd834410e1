package frame

import (
	"astrolabe/domain"
	"astrolabe/domain/chain"
)

// MaxBlock is the largest block number that a JSON integer holds exactly.
const MaxBlock = 1<<53 - 1

// ChainParam is the chain segment of a path.
var ChainParam = Param{Name: "chain", In: InPath, Kind: ChainKind, Required: true, About: "The chain.", Example: string(domain.Mainnet)}

// TokenParam is the token of a path. The example is STRK.
var TokenParam = Param{
	Name: "token", In: InPath, Kind: FeltKind, Required: true, About: "Contract address of the token.",
	Example: "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d",
}

// AddressParam is the address of a path. The example is an account.
var AddressParam = Param{
	Name: "address", In: InPath, Kind: FeltKind, Required: true, About: "Address of the account or contract.",
	Example: "0x9e2b6d6b0b4647dedd680a74ab5fc95555162324651537264842d07f29075a",
}

// ContractParam is the contract of a path. The example is the STRK bridge.
var ContractParam = Param{
	Name: "address", In: InPath, Kind: FeltKind, Required: true, About: "Address of the contract.",
	Example: "0x594c1582459ea03f77deaf9eb7e3917d6994a03c13405ba42867f83d85f085d",
}

// BlockTagParam is the block whose state is read; Call.State returns it.
var BlockTagParam = Param{
	Name: "block_tag", In: InQuery, Kind: StateKind, Default: string(chain.Latest),
	About: "The block whose state is read: a number, a hash, `latest` or `pending`. Use a number or a hash for reproducible results.",
}

// TransactionParam is the transaction of a path.
var TransactionParam = Param{
	Name: "tx_hash", In: InPath, Kind: FeltKind, Required: true, About: "Transaction hash.",
	Example: "0x37ea899ae28543489542ffed5d02685b279131135279673bf7efa8f018b71f4",
}
