package repo

// Statements that are exported for the test that looks at their plans.
var (
	AllMessagesStatement      = allMessages
	ContractMessagesStatement = contractMessages
	ContractsStatement        = contractsStatement
	ClassesStatement          = classesStatement
	ClassUsesStatement        = classUsesStatement
	VerificationsStatement    = verificationsStatement
	ScannedPoolsStatement     = scannedPoolsStatement
	PoolTailStatement         = poolTailStatement
	TransactionMessages       = transactionMessages
)
