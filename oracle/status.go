package oracle

// status is the chain status once the index has caught up, without its times.
func (m *Model) status() Answer {
	head := m.head()
	return found(object{
		"chainId": m.Chain, "headBlockNumber": head.BlockNumber, "headBlockHash": head.BlockHash.String(),
		"finalizedBlockNumber": m.Finalized, "finalityDepth": m.Depth, "latestL1AcceptedBlockNumber": m.L1,
		"earliestIndexedBlockNumber": m.first(), "latestIndexedBlockNumber": head.BlockNumber,
		"indexedBlockSpan": len(m.Blocks), "lagBlocks": 0,
		"l1Finality": object{"watermarkBlockNumber": m.L1}, "indexer": object{"state": "following", "reasonCode": nil, "progress": nil},
		"verification": m.checked(head),
	})
}

// checked is the verification of an index whose blocks were all verified, or none.
func (m *Model) checked(head *Block) object {
	if m.Unverified {
		return object{"level": "unverified", "verifiedThroughBlock": nil}
	}
	return object{"level": "full", "verifiedThroughBlock": head.BlockNumber}
}
