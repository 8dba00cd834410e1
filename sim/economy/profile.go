package economy

// Profile is how busy the chain is.
type Profile struct {
	// Transactions is the maximum number in an ordinary block, besides the
	// timetable.
	Transactions int
	// Accounts is the number of users.
	Accounts int
	// Events, if set, makes a bulk chain: after the first blocks, each block has
	// about this many events, nearly all of them token transfers, and no
	// timetable.
	Events int
	// OddPool makes the privacy pool emit malformed and unknown events too,
	// change its fee, and replace its class now and then.
	OddPool bool
}

// Everyday is the default: every shape within the first 150 blocks or so, some forty
// events a block.
func Everyday() Profile { return Profile{Transactions: 14, Accounts: 64} }

// Bulk is a chain for load tests with about this many events per block.
func Bulk(events int) Profile { return Profile{Accounts: 256, Events: events} }
