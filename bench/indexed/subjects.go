package indexed

import (
	"context"
	"fmt"
)

// Subject is a contract and a first key of its events.
type Subject struct{ Address, Selector []byte }

// Subjects are the pair with the most events and the pair with the fewest,
// whose page requires a search of every range.
type Subjects struct{ Frequent, Rare Subject }

// Subjects finds the most frequent and the rarest subject.
func (d *Database) Subjects(ctx context.Context) (*Subjects, error) {
	var found Subjects
	const statement = `
		WITH pairs AS (
			SELECT address, selector, count(*) AS events FROM events
			WHERE chain = 1 AND selector IS NOT NULL GROUP BY address, selector
		)
		SELECT a.felt, s.felt FROM pairs
		JOIN addresses AS a ON a.chain = 1 AND a.id = pairs.address
		JOIN selectors AS s ON s.chain = 1 AND s.id = pairs.selector
		ORDER BY events %s, address LIMIT 1`
	for order, s := range map[string]*Subject{"DESC": &found.Frequent, "ASC": &found.Rare} {
		if err := d.QueryRow(ctx, fmt.Sprintf(statement, order)).Scan(&s.Address, &s.Selector); err != nil {
			return nil, err
		}
	}
	return &found, nil
}
