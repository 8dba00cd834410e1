package rpc

// method is a method that needs no connection: the names of its arguments in
// order, and its function.
type method struct {
	params []string
	run    func(s *Server, method string, p params) (any, error)
}

// methods is every method but the subscriptions.
var methods map[string]method

func init() {
	methods = map[string]method{
		"starknet_specVersion":        {nil, func(s *Server, _ string, _ params) (any, error) { return s.specVersion, nil }},
		"starknet_chainId":            {nil, (*Server).getChainID},
		"starknet_blockNumber":        {nil, (*Server).blockNumber},
		"starknet_blockHashAndNumber": {nil, (*Server).blockHashAndNumber},
		"starknet_syncing":            {nil, func(*Server, string, params) (any, error) { return false, nil }},

		"starknet_getBlockWithTxHashes":     {[]string{"block_id"}, (*Server).blockWithHashes},
		"starknet_getBlockWithTxs":          {[]string{"block_id", "response_flags"}, (*Server).blockWithTransactions},
		"starknet_getBlockWithReceipts":     {[]string{"block_id", "response_flags"}, (*Server).blockWithReceipts},
		"starknet_getBlockTransactionCount": {[]string{"block_id"}, (*Server).transactionCount},
		"starknet_getStateUpdate":           {[]string{"block_id", "contract_addresses"}, (*Server).stateUpdate},

		"starknet_getTransactionByHash":            {[]string{"transaction_hash", "response_flags"}, (*Server).transactionByHash},
		"starknet_getTransactionByBlockIdAndIndex": {[]string{"block_id", "index", "response_flags"}, (*Server).transactionByIndex},
		"starknet_getTransactionReceipt":           {[]string{"transaction_hash"}, (*Server).receipt},
		"starknet_getTransactionStatus":            {[]string{"transaction_hash"}, (*Server).status},
		"starknet_getMessagesStatus":               {[]string{"transaction_hash"}, (*Server).messagesStatus},
		"starknet_getEvents":                       {[]string{"filter"}, (*Server).events},

		"starknet_call":            {[]string{"request", "block_id"}, (*Server).callContract},
		"starknet_getStorageAt":    {[]string{"contract_address", "key", "block_id", "response_flags"}, (*Server).storageAt},
		"starknet_getNonce":        {[]string{"block_id", "contract_address"}, (*Server).nonce},
		"starknet_getClassHashAt":  {[]string{"block_id", "contract_address"}, (*Server).classHashAt},
		"starknet_getClassAt":      {[]string{"block_id", "contract_address"}, (*Server).classAt},
		"starknet_getClass":        {[]string{"block_id", "class_hash"}, (*Server).class},
		"starknet_getCompiledCasm": {[]string{"class_hash"}, (*Server).compiled},
		"starknet_getStorageProof": {[]string{"block_id", "class_hashes", "contract_addresses", "contracts_storage_keys"}, (*Server).storageProof},

		"starknet_estimateFee":            {[]string{"request", "simulation_flags", "block_id"}, (*Server).estimateFee},
		"starknet_estimateMessageFee":     {[]string{"message", "block_id"}, (*Server).estimateMessageFee},
		"starknet_simulateTransactions":   {[]string{"block_id", "transactions", "simulation_flags"}, (*Server).simulate},
		"starknet_traceTransaction":       {[]string{"transaction_hash"}, (*Server).trace},
		"starknet_traceBlockTransactions": {[]string{"block_id", "trace_flags"}, (*Server).traceBlock},

		"rpc.discover": {nil, (*Server).discover},

		"devnet_getConfig":              {nil, (*Server).devnetConfig},
		"devnet_getPredeployedAccounts": {[]string{"with_balance"}, (*Server).predeployedAccounts},
		"devnet_getAccountBalance":      {[]string{"address", "unit", "block_id"}, (*Server).devnetBalance},
		"devnet_mint":                   {[]string{"address", "amount", "unit"}, (*Server).mint},
		"devnet_createBlock":            {nil, (*Server).createBlock},
		"devnet_abortBlocks":            {[]string{"starting_block_id"}, (*Server).abortBlocks},
		"devnet_acceptOnL1":             {[]string{"starting_block_id"}, (*Server).acceptOnL1},
		"devnet_setTime":                {[]string{"time", "generate_block"}, (*Server).setTime},
		"devnet_increaseTime":           {[]string{"time"}, (*Server).increaseTime},

		"starknet_addInvokeTransaction":        {[]string{"invoke_transaction"}, (*Server).addInvoke},
		"starknet_addDeclareTransaction":       {[]string{"declare_transaction"}, (*Server).addDeclare},
		"starknet_addDeployAccountTransaction": {[]string{"deploy_account_transaction"}, (*Server).addDeployAccount},
	}
}
