package onchain

import (
	"astrolabe/domain"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// ChainStatements are exported for the test of their plans, with the chain
// filled in and lists of 25.
var ChainStatements = map[string]string{
	"block.by_number":        repo.Text(blocksByNumber, 1),
	"block.by_hash":          repo.Text(blocksByHash, 1),
	"block.by_id":            repo.Text(blocksByID, 1),
	"block.list":             repo.Text(blocksDown, 1, 26),
	"block.list from oldest": repo.Text(blocksUp, 1, 26),
	"block.at_time":          repo.Text(blocksAtTime, 1),
	"transaction.by_hash":    repo.Text(transactionsByHash, 1),
	"transaction.of_blocks":  repo.Text(transactionsOfBlocks, 1, 26),
	"transaction.outline":    repo.Text(outlinesByHash, 1),
	"transaction.parts":      repo.Text(transactionParts, 1, 101),
	"transaction.calls":      repo.Text(callAnswers, 1),
	"function.names":         repo.Text(functionNames, 1),
}

// LatestBlockStatement is exported for the same test.
var LatestBlockStatement = repo.Text(latestBlock, 1)

// Statements that are exported for the test of their plans.
var (
	AllMessagesStatement      = allMessages
	ContractMessagesStatement = contractMessages
	ContractsStatement        = contractsStatement
	ImplementationsStatement  = implementationsStatement
)

func TransactionMessages(c domain.Chain) string {
	return repo.Text(messagesOfTransactions, model.Code(c))
}

func ClassesStatement(c domain.Chain) string { return repo.Text(classesByHash, model.Code(c)) }

func ClassUsesStatement(c domain.Chain, limit int) string {
	return repo.Text(usesOfClasses, model.Code(c), repo.RowsFor(limit))
}

func VerificationsStatement(c domain.Chain) string {
	return repo.Text(verificationsOfClasses, model.Code(c))
}
