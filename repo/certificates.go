package repo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/event"
)

// Certificates implements event.Store.
func (db *DB) Certificates(ctx context.Context, c domain.Chain) ([]event.Certificate, error) {
	return collect(ctx, db, collectCertificate, fmt.Sprintf(`/* certificate.list */
		SELECT id, selector, position, coalesce(from_block, 0), through_block, status, verified_at,
			coalesce(maintained_at > now() - interval '5 minutes', false)
		FROM event_certificates WHERE chain = %d ORDER BY selector, position`, chainCode(c)))
}

func collectCertificate(row pgx.CollectableRow) (cert event.Certificate, err error) {
	err = row.Scan(&cert.ID, &cert.Selector, &cert.Position, &cert.From, &cert.Through, &cert.Status, &cert.VerifiedAt, &cert.Maintained)
	return cert, err
}
