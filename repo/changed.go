package repo

import "database/sql"

// Changed returns how many rows a statement changed. It takes the results of
// Exec of a bun query; errors go through Outage.
func Changed(result sql.Result, err error) (int, error) {
	if err != nil {
		return 0, Outage(err)
	}
	rows, err := result.RowsAffected()
	return int(rows), err
}
