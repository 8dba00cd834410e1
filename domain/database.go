package domain

import "errors"

// ErrDatabaseAway is in the chain of every error that an unreachable database
// caused. The process logs the outage once, so that what fails because of it need
// not do so.
var ErrDatabaseAway = errors.New("the database is unreachable")

// DatabaseAway reports whether an unreachable database caused an error.
func DatabaseAway(err error) bool { return errors.Is(err, ErrDatabaseAway) }
