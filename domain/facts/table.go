package facts

// Table names the rows of one kind that the index keeps of a block.
type Table string

// The tables.
const (
	TableBlocks          Table = "blocks"
	TableTransactions    Table = "transactions"
	TableEvents          Table = "events"
	TableMessages        Table = "messages"
	TableDeclarations    Table = "declarations"
	TableChanges         Table = "contract_classes"
	TableImplementations Table = "contract_implementations"
	TableClasses         Table = "classes"
	TableDeployments     Table = "deployments"
	TableTransfers       Table = "transfers"
	TableUntyped         Table = "untyped_transfers"
	TablePrivacyEvents   Table = "privacy_events"
	TableActivity        Table = "activity"
	TableTokens          Table = "tokens"
)

// Tables lists the tables, each after those that its rows follow from.
var Tables = []Table{
	TableBlocks, TableTransactions, TableEvents, TableMessages, TableDeclarations, TableChanges, TableImplementations, TableClasses,
	TableDeployments, TableTransfers, TableUntyped, TablePrivacyEvents, TableActivity, TableTokens,
}

// Versions are the current versions of the facts that the index keeps, by table.
var Versions = map[string]int{
	"transactions": TransactionsVersion,

	"schemas":           SchemasVersion,
	"deployments":       DeploymentsVersion,
	"transfers":         TransfersVersion,
	"untyped_transfers": UntypedVersion,
	"privacy_events":    PrivacyEventsVersion,
	"activity":          ActivityVersion,
	"tokens":            TokensVersion,
}

// Rederivable reports whether a fact can be derived again from stored rows. A
// fact that cannot comes from the node alone: after a change of its version the
// chain has to be indexed again.
func Rederivable(fact string) bool { return fact != string(TableTransactions) }

// TransactionsVersion is the version of stored transactions. Version 1 has their
// envelopes.
const TransactionsVersion = 1

// TokensVersion is the version of Tokens.
const TokensVersion = 2
