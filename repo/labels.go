package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

// subjects are stored as their place in this list, which never changes.
var subjects = []address.Subject{"", address.OfAddress, address.OfClass}

func subjectCode(s address.Subject) int {
	if s == address.OfClass {
		return 2
	}
	return 1
}

// noteOf are the notes of an address o and of its class k, by primary key.
const noteOf = `
	LEFT JOIN labels own ON own.chain = %[1]d AND own.subject = 1 AND own.felt = o.felt
	LEFT JOIN labels of_class ON of_class.chain = %[1]d AND of_class.subject = 2 AND of_class.felt = k.hash`

// notedColumns are what notedRow reads.
const notedColumns = `k.hash, own.label, own.protocol, own.kind, own.confidence,
	of_class.label, of_class.protocol, of_class.kind, of_class.confidence`

// notedRow is what is stored for the label of an address.
type notedRow struct {
	class        *starknet.Felt
	own, ofClass labelRow
}

// labelRow is a label as it is stored, or nothing.
type labelRow struct{ text, protocol, kind, confidence *string }

// targets puts the row's columns between the parent and what follows.
func (n *notedRow) targets(parent *int, after ...any) []any {
	return append([]any{
		parent, &n.class, &n.own.text, &n.own.protocol, &n.own.kind, &n.own.confidence,
		&n.ofClass.text, &n.ofClass.protocol, &n.ofClass.kind, &n.ofClass.confidence,
	}, after...)
}

func (n *notedRow) noted() address.Noted {
	return address.Noted{Own: n.own.label(), Class: n.class, ByClass: n.ofClass.label()}
}

func (l *labelRow) label() *address.Label {
	if l.text == nil {
		return nil
	}
	label := &address.Label{Text: *l.text, Confidence: address.Confidence(*l.confidence)}
	if l.protocol != nil {
		label.Protocol = &address.Protocol{Name: *l.protocol, Kind: *l.kind}
	}
	return label
}

// NotesOf implements address.Notes.
func (db *DB) NotesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]address.Noted, error) {
	found, err := collect(ctx, db, func(row pgx.CollectableRow) (found child[address.Noted], err error) {
		var noted notedRow
		err = row.Scan(noted.targets(&found.parent)...)
		found.row = noted.noted()
		return found, err
	}, fmt.Sprintf(`/* label.of */
		SELECT o.n, `+notedColumns+`
		FROM unnest($1::bytea[]) WITH ORDINALITY AS o (felt, n)
		LEFT JOIN addresses w ON w.chain = %[1]d AND w.felt = o.felt`+classOf+noteOf, chainCode(c)), feltBytes(addresses))
	return onePerParent(found, len(addresses)), err
}

const labelColumns = "chain, subject, felt, label, protocol, kind, confidence, added_at, added_by"

func scanNote(row pgx.CollectableRow) (n address.Note, err error) {
	var (
		code, subject int
		label         labelRow
	)
	err = row.Scan(&code, &subject, &n.Felt, &label.text, &label.protocol, &label.kind, &label.confidence, &n.At, &n.By)
	if err == nil {
		n.Chain, n.Subject, n.Label = domain.Chains[code-1], subjects[subject], *label.label()
	}
	return n, err
}

// FindNotes implements address.Notes, along labels_text. No text that begins
// with the prefix is above the prefix with the last of all characters.
func (db *DB) FindNotes(ctx context.Context, c domain.Chain, prefix string, limit int) ([]address.Note, error) {
	return collect(ctx, db, scanNote, fmt.Sprintf(`/* label.find */
		SELECT %s FROM labels
		WHERE chain = %d AND subject = 1 AND lower(label) COLLATE "C" >= lower($1) AND lower(label) COLLATE "C" < lower($1) || chr(1114111)
		ORDER BY lower(label) COLLATE "C", felt LIMIT %d`, labelColumns, chainCode(c), limit), prefix)
}

// ListNotes implements address.Notes: there are as many as operators have
// typed.
func (db *DB) ListNotes(ctx context.Context) ([]address.Note, error) {
	return collect(ctx, db, scanNote, fmt.Sprintf(`/* label.list */
		SELECT %s FROM labels ORDER BY chain, subject, felt`, labelColumns))
}

// PutNote implements address.Notes.
func (db *DB) PutNote(ctx context.Context, n address.Note) error {
	var protocol *string
	kind := ""
	if n.Label.Protocol != nil {
		protocol, kind = &n.Label.Protocol.Name, n.Label.Protocol.Kind
	}
	_, err := db.pool.Exec(ctx, fmt.Sprintf(`/* label.put */
		INSERT INTO labels (%s) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (chain, subject, felt) DO UPDATE SET label = excluded.label, protocol = excluded.protocol, kind = excluded.kind,
			confidence = excluded.confidence, added_at = excluded.added_at, added_by = excluded.added_by`, labelColumns),
		chainCode(n.Chain), subjectCode(n.Subject), n.Felt[:], n.Label.Text, protocol, kind, string(n.Label.Confidence), n.At, n.By)
	return outage(err)
}

// RemoveNote implements address.Notes.
func (db *DB) RemoveNote(ctx context.Context, c domain.Chain, s address.Subject, felt starknet.Felt) (bool, error) {
	tag, err := db.pool.Exec(ctx, `/* label.remove */
		DELETE FROM labels WHERE chain = $1 AND subject = $2 AND felt = $3`, chainCode(c), subjectCode(s), felt[:])
	return tag.RowsAffected() > 0, outage(err)
}
