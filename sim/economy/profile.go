package economy

// Profile says how busy the chain is.
type Profile struct {
	// Transactions is how many an ordinary block has at most, besides the timetable.
	Transactions int
	// Accounts is how many users come to exist.
	Accounts int
	// Events, when set, makes a bulk chain: after the first blocks each block has about
	// as many events, nearly all of them token transfers, and no timetable.
	Events int
}

// Everyday is the default: every shape within the first 150 blocks or so, some forty
// events a block.
func Everyday() Profile { return Profile{Transactions: 14, Accounts: 64} }

// Bulk is a chain for loading: about as many events in each block.
func Bulk(events int) Profile { return Profile{Accounts: 256, Events: events} }
