package index

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// MissingClasses returns up to limit hashes of missing classes, in order, those
// after the given one. It scans the classes.
func (a Archive) MissingClasses(ctx context.Context, c domain.Chain, after starknet.Felt, limit int) ([]starknet.Felt, error) {
	return repo.Select[starknet.Felt](ctx, a.db.Write(), fmt.Sprintf(`/* class.missing */
		SELECT hash FROM classes WHERE chain = %d AND missing AND hash > $1 ORDER BY hash LIMIT $2`, model.Code(c)), after[:], limit)
}

// UsersOf returns the contracts that have had a class, and the proxies that have
// executed it or one of them.
func (a Archive) UsersOf(ctx context.Context, c domain.Chain, class starknet.Felt) (contracts, proxies []starknet.Felt, err error) {
	db, code := a.db.Write(), model.Code(c)
	// Finds the contracts by contract_classes_class, and scans the few
	// implementations.
	const of = `FROM contract_classes h JOIN classes k ON k.chain = h.chain AND k.id = h.class WHERE h.chain = %[1]d AND k.hash = $1`
	contracts, err = repo.Select[starknet.Felt](ctx, db, fmt.Sprintf(`/* class.contracts */
		SELECT felt FROM addresses WHERE chain = %[1]d AND id IN (SELECT h.address `+of+`)`, code), class[:])
	if err != nil {
		return nil, nil, err
	}
	proxies, err = repo.Select[starknet.Felt](ctx, db, fmt.Sprintf(`/* class.proxies */
		SELECT a.felt FROM addresses a WHERE a.chain = %[1]d AND a.id IN (
			SELECT i.address FROM contract_implementations i WHERE i.chain = %[1]d AND (
				i.class = (SELECT id FROM classes WHERE chain = %[1]d AND hash = $1) OR i.contract IN (SELECT h.address `+of+`)))`, code), class[:])
	return contracts, proxies, err
}
