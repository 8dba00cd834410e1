package repo

// otherStatements is the label of statements that are not hot.
const otherStatements = "other"

// HotStatements are the names of the statements on the path of a request. Only
// they have their own label in the metrics, which limits the number of series:
// one histogram has 17. Traces name every statement.
var HotStatements = []string{
	"key.find", "session.find", "quota.take",

	"head.list", "block.at_time", "block.by_hash", "block.by_id", "block.by_number", "block.latest", "block.list",
	"transaction.by_hash", "transaction.calls", "transaction.of_blocks", "transaction.outline", "transaction.parts",
	"function.names", "message.list", "message.of_contracts", "message.of_transactions",
	"class.find", "class.abi", "class.uses", "contract.of", "verification.of",

	"event.by_address", "event.by_pair", "event.by_one_address", "event.by_one_pair", "event.by_one_selector",
	"event.by_selector", "event.covered", "event.of_blocks", "event.of_contracts", "event.of_transactions",

	"token.find", "token.summaries", "transfer.of_addresses", "transfer.of_tokens", "transfer.of_transactions", "census.holders", "market.pools",

	"address.activity", "address.assets", "address.profiles", "address.summaries", "address.transactions",
	"label.of", "search.addresses", "search.felt", "search.tokens",

	"privacy.ledger", "privacy.assets", "privacy.points", "privacy.point_assets", "privacy.buckets", "privacy.bucket_flows", "privacy.all_bucket_flows",
}

var hot = func() map[string]bool {
	names := make(map[string]bool, len(HotStatements))
	for _, name := range HotStatements {
		names[name] = true
	}
	return names
}()

// statementLabel returns the name under which a statement is measured.
func statementLabel(name string) string {
	if hot[name] {
		return name
	}
	return otherStatements
}
