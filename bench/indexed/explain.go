package indexed

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"
)

// Explained is the executed plan of a statement.
type Explained struct{ Plan, Planning Plan }

// Plan is a node of a statement's plan.
type Plan struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Hit      int     `json:"Shared Hit Blocks"`
	Read     int     `json:"Shared Read Blocks"`
	Loops    float64 `json:"Actual Loops"`
	Plans    []Plan
}

// Buffers returns how many pages were accessed.
func (p Plan) Buffers() int { return p.Hit + p.Read }

// Explain runs a statement and returns its executed plan.
func Explain(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, arguments ...any) pgx.Row
}, statement string) (Explained, error) {
	var text []byte
	if err := db.QueryRow(ctx, "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+statement).Scan(&text); err != nil {
		return Explained{}, err
	}
	var explained []Explained
	if err := json.Unmarshal(text, &explained); err != nil {
		return Explained{}, err
	}
	return explained[0], nil
}
