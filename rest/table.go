package rest

import "slices"

// operations is the table: every route of the contract that exists here. Each
// noun keeps its rows beside its handlers.
func (s *server) operations() []Operation {
	return slices.Concat(
		s.statusOperations(),
		s.messageOperations(),
		s.contractOperations(),
		s.contractVerificationOperations(),
		s.bridgeSignalOperations(),
		s.controlOperations(),
		s.poolOperations(),
		s.accountOperations(),
		s.discoveryOperations(),
	)
}
