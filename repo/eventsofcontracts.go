package repo

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/starknet"
)

// contractEvents is the beginning of the events that satisfy %[2]s within the
// span of the arguments $3 to $8, along an index whose columns are those of the
// condition, then the place.
const contractEvents = `
		SELECT block, tx, log, address, selector, keys, payload FROM events
		WHERE chain = %[1]d AND %[2]s AND ` + within + `
		ORDER BY ` + newestEventFirst + ` LIMIT %[3]d`

// EventsOfContracts implements event.Store.
func (db *DB) EventsOfContracts(ctx context.Context, c domain.Chain, contracts, selectors []starknet.Felt, span event.Span, limit int) ([][]event.Row, error) {
	arguments := eventArguments(event.Filter{}, span, spanArguments)
	arguments[0], arguments[1] = feltBytes(contracts), feltBytes(selectors)
	children, err := collect(ctx, db, childEvent, eventsOfContracts(c, len(selectors) > 0, limit), arguments...)
	return ofParents(children, len(contracts)), err
}

// eventsOfContracts follows events_…_address for each contract or, by
// selectors, events_…_address_selector for each pair. The beginnings of the
// pairs are sorted together: there are as many rows as selectors, times a page.
func eventsOfContracts(c domain.Chain, bySelector bool, limit int) string {
	code, rows := chainCode(c), rowsFor(limit)
	name, list := "of_contracts", fmt.Sprintf(contractEvents, code, "$2::bytea[] IS NOT NULL AND address = a.id", rows)
	if bySelector {
		name = "of_contracts_by_selector"
		list = fmt.Sprintf(`
		SELECT e.* FROM unnest($2::bytea[]) AS k (felt)
		CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = k.felt LIMIT 1) s
		CROSS JOIN LATERAL (%[2]s) e
		ORDER BY `+newestEventFirst+` LIMIT %[3]d`, code, fmt.Sprintf(contractEvents, code, "address = a.id AND selector = s.id", rows), rows)
	}
	return fmt.Sprintf(`/* event.%[3]s */
		SELECT p.parent, `+shownEvent+`
		FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
		CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
		CROSS JOIN LATERAL (%[2]s) e
		ORDER BY p.parent, e.block DESC, e.tx DESC, e.log DESC`, code, list, name)
}
