package addresses

import (
	"context"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Labels stores the labels that operators assign to addresses and classes.
type Labels struct{ db *repo.DB }

var _ address.Notes = Labels{}

// NewLabels returns the repository of labels.
func NewLabels(db *repo.DB) Labels { return Labels{db} }

// subjects are stored as their index in this list, which never changes.
var subjects = []address.Subject{"", address.OfAddress, address.OfClass}

func subjectCode(s address.Subject) int64 {
	if s == address.OfClass {
		return 2
	}
	return 1
}

// labelsOf are the labels of an address o and of its class k, by primary key.
const labelsOf = `
	LEFT JOIN labels own ON own.chain = %[1]d AND own.subject = 1 AND own.felt = o.felt
	LEFT JOIN labels of_class ON of_class.chain = %[1]d AND of_class.subject = 2 AND of_class.felt = k.hash`

// notedColumns are the columns of notedRow.
const notedColumns = `k.hash AS class,
	own.label AS own_label, own.protocol AS own_protocol, own.kind AS own_kind, own.confidence AS own_confidence,
	of_class.label AS of_class_label, of_class.protocol AS of_class_protocol, of_class.kind AS of_class_kind, of_class.confidence AS of_class_confidence`

// notedRow holds the stored labels of the Nth address and of its class.
type notedRow struct {
	N       int64          `bun:"n"`
	Class   *starknet.Felt `bun:"class"`
	Own     *labelRow      `bun:"embed:own_"`
	OfClass *labelRow      `bun:"embed:of_class_"`
}

// labelRow is a label. Its first column, the text, is never NULL in a label
// that exists.
type labelRow struct {
	Label      string  `bun:"label"`
	Protocol   *string `bun:"protocol"`
	Kind       string  `bun:"kind"`
	Confidence string  `bun:"confidence"`
}

func (r *notedRow) noted() address.StoredLabels {
	return address.StoredLabels{Own: r.Own.label(), Class: r.Class, ByClass: r.OfClass.label()}
}

func (r *labelRow) label() *address.Label {
	if r == nil {
		return nil
	}
	label := &address.Label{Text: r.Label, Confidence: address.Confidence(r.Confidence)}
	if r.Protocol != nil {
		label.Protocol = &address.Protocol{Name: *r.Protocol, Kind: r.Kind}
	}
	return label
}

const labelsOfAddresses = `/* label.of */
	SELECT o.n, ` + notedColumns + `
	FROM unnest($1::bytea[]) WITH ORDINALITY AS o (felt, n)
	LEFT JOIN addresses w ON w.chain = %[1]d AND w.felt = o.felt` + classOf + labelsOf

// NotesOf implements address.Notes.
func (r Labels) NotesOf(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]address.StoredLabels, error) {
	rows, err := repo.Select[notedRow](ctx, r.db.Read(), repo.Text(labelsOfAddresses, model.Code(c)), model.Bytes(addresses))
	if err != nil {
		return nil, err
	}
	found := make([]address.StoredLabels, len(addresses))
	for i := range rows {
		found[rows[i].N-1] = rows[i].noted()
	}
	return found, nil
}

// labelsBeginning uses labels_text. The upper bound is the prefix followed by
// the last Unicode character.
const labelsBeginning = `/* label.find */
	SELECT chain, subject, felt, label, protocol, kind, confidence, added_at, added_by FROM labels
	WHERE chain = %[1]d AND subject = 1 AND lower(label) COLLATE "C" >= lower($1) AND lower(label) COLLATE "C" < lower($1) || chr(1114111)
	ORDER BY lower(label) COLLATE "C", felt LIMIT %[2]d`

// FindNotes implements address.Notes.
func (r Labels) FindNotes(ctx context.Context, c domain.Chain, prefix string, limit int) ([]address.Note, error) {
	rows, err := repo.Select[model.Label](ctx, r.db.Read(), repo.Text(labelsBeginning, model.Code(c), limit), prefix)
	return notes(rows), err
}

// ListNotes implements address.Notes. The list is short, because operators
// enter labels by hand.
func (r Labels) ListNotes(ctx context.Context) ([]address.Note, error) {
	var rows []model.Label
	err := r.db.Read().NewSelect().Model(&rows).Comment("label.list").Order("chain", "subject", "felt").Scan(ctx)
	return notes(rows), repo.Failure(ctx, err)
}

func notes(rows []model.Label) []address.Note {
	list := make([]address.Note, len(rows))
	for i, row := range rows {
		text := labelRow{row.Label, row.Protocol, row.Kind, row.Confidence}
		list[i] = address.Note{
			Chain: domain.Chain(row.Chain), Subject: subjects[row.Subject], Felt: row.Felt, Label: *text.label(), At: row.AddedAt, By: row.AddedBy,
		}
	}
	return list
}

// PutNote implements address.Notes.
func (r Labels) PutNote(ctx context.Context, n address.Note) error {
	row := model.Label{
		Chain: model.Chain(n.Chain), Subject: subjectCode(n.Subject), Felt: n.Felt, Label: n.Label.Text, Confidence: string(n.Label.Confidence),
		AddedAt: n.At, AddedBy: n.By,
	}
	if n.Label.Protocol != nil {
		row.Protocol, row.Kind = &n.Label.Protocol.Name, n.Label.Protocol.Kind
	}
	_, err := r.db.Write().NewInsert().Model(&row).Comment("label.put").
		On("CONFLICT (chain, subject, felt) DO UPDATE").
		Set("label = excluded.label, protocol = excluded.protocol, kind = excluded.kind").
		Set("confidence = excluded.confidence, added_at = excluded.added_at, added_by = excluded.added_by").
		Exec(ctx)
	return repo.Failure(ctx, err)
}

// RemoveNote implements address.Notes.
func (r Labels) RemoveNote(ctx context.Context, c domain.Chain, s address.Subject, felt starknet.Felt) (bool, error) {
	row := model.Label{Chain: model.Chain(c), Subject: subjectCode(s), Felt: felt}
	result, err := r.db.Write().NewDelete().Model(&row).Comment("label.remove").WherePK().Exec(ctx)
	if err != nil {
		return false, repo.Failure(ctx, err)
	}
	removed, err := result.RowsAffected()
	return removed > 0, err
}
