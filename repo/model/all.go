package model

// All returns a nil pointer to each model, for code that handles every table.
func All() []any {
	return []any{
		(*Block)(nil), (*Transaction)(nil), (*Event)(nil), (*Message)(nil), (*Locator)(nil), (*Address)(nil), (*Selector)(nil),
		(*Class)(nil), (*EventSchema)(nil), (*FunctionSchema)(nil), (*Declaration)(nil), (*ContractClass)(nil), (*ContractImplementation)(nil), (*Deployment)(nil), (*Verification)(nil),
		(*Token)(nil), (*Transfer)(nil), (*UntypedTransfer)(nil), (*Activity)(nil), (*TokenSummary)(nil), (*TokenParty)(nil), (*TokenSummaryCheckpoint)(nil), (*MarketPool)(nil), (*MarketScan)(nil),
		(*CensusEpoch)(nil), (*CensusPolicy)(nil), (*CensusHold)(nil), (*CensusSnapshot)(nil), (*CensusHolder)(nil), (*CensusGeneration)(nil),
		(*PrivacyPool)(nil), (*PrivacyEvent)(nil), (*PrivacyLedger)(nil), (*PrivacyCount)(nil), (*PrivacyWallet)(nil), (*PrivacyAsset)(nil),
		(*PrivacyPoint)(nil), (*PrivacyPointAsset)(nil), (*PrivacyBucket)(nil), (*PrivacyBucketFlow)(nil), (*PrivacyBucketFee)(nil),
		(*Lease)(nil), (*Backfill)(nil), (*Head)(nil), (*Checkpoint)(nil), (*Range)(nil), (*DeriverVersion)(nil), (*FactEpoch)(nil), (*Fork)(nil), (*Certificate)(nil),
		(*Workspace)(nil), (*APIKey)(nil), (*Session)(nil), (*UsedLogin)(nil), (*AuditEntry)(nil), (*Quota)(nil), (*UsageHour)(nil), (*UsageRequest)(nil), (*Secret)(nil), (*Label)(nil),
		(*VerificationJob)(nil), (*VerificationTransition)(nil), (*VerificationSource)(nil), (*VerificationCreates)(nil), (*VerificationBuilder)(nil), (*VerificationBuild)(nil), (*VerificationCandidate)(nil),
		(*VerificationKey)(nil), (*VerificationController)(nil), (*VerificationReceipt)(nil), (*VerificationOutbox)(nil),
		(*VerificationLogHash)(nil), (*VerificationLogCheckpoint)(nil),
		(*ProveJob)(nil), (*ProveBudget)(nil),
	}
}
