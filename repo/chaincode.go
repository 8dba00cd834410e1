package repo

import "astrolabe/domain"

// chainCode is the number under which a chain's rows are stored. It is written
// into the text of statements, so that plans see one chain's partitions only.
func chainCode(c domain.Chain) int {
	if c == domain.Mainnet {
		return 1
	}
	return 2
}
