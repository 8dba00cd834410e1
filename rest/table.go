package rest

import (
	"slices"

	"astrolabe/rest/accounts"
	"astrolabe/rest/addresses"
	"astrolabe/rest/chains"
	"astrolabe/rest/contracts"
	"astrolabe/rest/frame"
	"astrolabe/rest/privacy"
	"astrolabe/rest/prove"
	"astrolabe/rest/rpc"
	"astrolabe/rest/tokens"
	"astrolabe/rest/verification"
)

// operations returns the operation table of this deployment.
func (s *server) operations() []frame.Operation {
	if s.Services != nil && s.Proofs == nil {
		return s.withoutProver()
	}
	return slices.Concat(s.withoutProver(), prove.Handlers{Services: s.Services}.Operations())
}

// withoutProver returns the operations that every deployment has. The rows are
// defined next to their handlers.
func (s *server) withoutProver() []frame.Operation {
	chain := chains.Handlers{Services: s.Services}
	contract := contracts.Handlers{Services: s.Services}
	token := tokens.Handlers{Services: s.Services}
	address := addresses.Handlers{Services: s.Services}
	pool := privacy.Handlers{Services: s.Services}
	gateways := rpc.Handlers{Logger: s.Logger, Gate: s.Gate, Gateways: s.Gateways, Origins: s.Origins, Sockets: s.Sockets, Bodies: rpc.NewBodies(), Usage: s.Usage}
	account := accounts.Handlers{Gate: s.Gate, Usage: s.Usage}
	return slices.Concat(
		chain.StatusOperations(),
		chain.EventOperations(),
		chain.BlockOperations(),
		chain.TransactionOperations(),
		chain.SearchOperations(),
		chain.MessageOperations(),
		contract.ContractOperations(),
		contract.VerificationOperations(),
		contract.BridgeSignalOperations(),
		token.TokenOperations(),
		token.QuantityOperations(),
		token.TransferOperations(),
		contract.ReadOperations(),
		address.WalletOperations(),
		token.ControlOperations(),
		address.AddressOperations(),
		token.HolderOperations(),
		token.PoolOperations(),
		pool.StatusOperations(),
		pool.EventOperations(),
		pool.PreparedOperations(s.Now),
		pool.DashboardOperations(),
		verification.Handlers{Services: s.Services}.Operations(),
		verification.Handlers{Services: s.Services}.LogOperations(),
		gateways.Operations(),
		account.AccountOperations(),
		s.discoveryOperations(),
	)
}
