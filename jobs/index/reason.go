package index

import (
	"errors"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
)

// reasons maps the causes of a halt to the reason codes of /status. The first
// match applies.
var reasons = []struct {
	cause error
	code  string
}{
	{chain.ErrWrongChain, chain.ReasonWrongChain},
	{chain.ErrNodeVersion, chain.ReasonNodeVersion},
	{chain.ErrPruned, chain.ReasonNodePruned},
	{indexing.ErrAcceptedOnL1, chain.ReasonReorgBelowL1},
	{indexing.ErrFinalized, chain.ReasonReorgBelowFinalized},
	{indexing.ErrRederive, chain.ReasonRederive},
	{indexing.ErrReindex, chain.ReasonReindex},
	{indexing.ErrStorageFull, chain.ReasonStorageFull},
	{indexing.ErrStorageReadOnly, chain.ReasonStorageReadOnly},
	{indexing.ErrNoQuorum, chain.ReasonNodeQuorum},
	{chain.ErrNoClass, chain.ReasonClassUnavailable},
	{indexing.ErrInconsistent, chain.ReasonNodeInconsistent},
	{facts.ErrContradiction, chain.ReasonNodeInconsistent},
	{chain.ErrInvalidAnswer, chain.ReasonNodeInvalidAnswer},
	{chain.ErrNodeUnavailable, chain.ReasonNodeUnavailable},
	{facts.ErrTooLarge, chain.ReasonBlockTooLarge},
}

func reasonOf(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.cause) {
			return r.code
		}
	}
	if domain.CodeOf(err) == domain.CodeServiceUnavailable {
		return chain.ReasonStorageUnavailable
	}
	return chain.ReasonInternal
}
