package rest

import "slices"

// operations is the table: every route of the contract that exists here. Each
// noun keeps its rows beside its handlers.
func (s *server) operations() []Operation {
	return slices.Concat(
		s.statusOperations(),
		s.eventOperations(),
		s.blockOperations(),
		s.transactionOperations(),
		s.searchOperations(),
		s.messageOperations(),
		s.contractOperations(),
		s.contractVerificationOperations(),
		s.bridgeSignalOperations(),
		s.tokenOperations(),
		s.quantityOperations(),
		s.transferOperations(),
		s.contractReadOperations(),
		s.walletOperations(),
		s.controlOperations(),
		s.addressOperations(),
		s.holderOperations(),
		s.poolOperations(),
		s.accountOperations(),
		s.discoveryOperations(),
	)
}
