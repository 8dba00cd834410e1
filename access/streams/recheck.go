package streams

import (
	"golang.org/x/sync/errgroup"

	"astrolabe/domain/account"
)

// maxRechecks is how many credentials are checked at once. Each may need a read
// of the database.
const maxRechecks = 8

// Recheck checks the credentials of the open streams whose caller matches, in
// the background, and ends those whose credential has ended.
func (s *Registry) Recheck(match func(*account.Caller) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var affected []*Stream
	for one := range s.open {
		if one.Caller != nil && match(one.Caller) {
			affected = append(affected, one)
		}
	}
	if s.closing || len(affected) == 0 {
		return
	}
	s.rechecks.Go(func() {
		var group errgroup.Group
		group.SetLimit(maxRechecks)
		for _, one := range affected {
			group.Go(func() error {
				one.Recheck()
				return nil
			})
		}
		_ = group.Wait() // no recheck fails
	})
}
