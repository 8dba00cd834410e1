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
	TableActivity        Table = "activity"
	TableTokens          Table = "tokens"
)

// Tables lists the tables, each after those that its rows follow from.
var Tables = []Table{
	TableBlocks, TableTransactions, TableEvents, TableMessages, TableDeclarations, TableChanges, TableImplementations, TableClasses,
	TableDeployments, TableTransfers, TableUntyped, TableActivity, TableTokens,
}

// Versions are the current versions of the derivers, by table.
var Versions = map[string]int{
	"schemas":           SchemasVersion,
	"deployments":       DeploymentsVersion,
	"transfers":         TransfersVersion,
	"untyped_transfers": UntypedVersion,
	"activity":          ActivityVersion,
	"tokens":            TokensVersion,
}

// TokensVersion is the version of Tokens.
const TokensVersion = 2
