package tokens

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// HoldCensus revokes the certified generations of a token for an operator and
// prevents new ones. It returns how many it revoked; if there are none, it
// changes nothing.
func (r CensusBuilder) HoldCensus(ctx context.Context, c domain.Chain, contract starknet.Felt, reason string) (revoked int, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		// No census can be published between the revocation and the commit.
		if _, err := tx.NewRaw("/* census.lock */ SELECT FROM census_epochs WHERE chain = ? FOR UPDATE", model.Code(c)).Exec(ctx); err != nil {
			return err
		}
		result, err := tx.NewRaw(`/* census.hold */
			WITH revoked AS (
				UPDATE census_generations g SET status = 'revoked', reason = ?2, checked_at = now()
				FROM addresses a
				WHERE a.chain = ?0 AND a.felt = ?1 AND g.chain = ?0 AND g.token = a.id AND g.status = 'certified' AND g.expires_at > now()
				RETURNING g.token
			), held AS (
				INSERT INTO census_holds (chain, token, reason, placed_at)
				SELECT DISTINCT ?0, token, ?3, now() FROM revoked ON CONFLICT DO NOTHING
			)
			SELECT token FROM revoked`, model.Code(c), contract, token.ReasonOperator, reason).Exec(ctx)
		if revoked, err = repo.Changed(result, err); err != nil || revoked == 0 {
			return err
		}
		// Censuses of the chain that are being built are not published.
		_, err = tx.NewRaw("/* census.next */ UPDATE census_epochs SET epoch = epoch + 1 WHERE chain = ?", model.Code(c)).Exec(ctx)
		return err
	})
	return revoked, repo.Failure(ctx, err)
}

// ReleaseCensus ends the hold on a token, whose census is then due at once. It
// returns false if the token was not on hold.
func (r CensusBuilder) ReleaseCensus(ctx context.Context, c domain.Chain, contract starknet.Felt) (released bool, err error) {
	result, err := r.db.Write().NewRaw(`/* census.release */
		WITH released AS (
			DELETE FROM census_holds h USING addresses a
			WHERE a.chain = ?0 AND a.felt = ?1 AND h.chain = ?0 AND h.token = a.id RETURNING h.token
		)
		UPDATE tokens SET census_due = '-infinity' WHERE chain = ?0 AND address IN (SELECT token FROM released)`, model.Code(c), contract).Exec(ctx)
	n, err := repo.Changed(result, err)
	return n > 0, err
}

// ForgetGenerations deletes at most most generations that expired before a
// time, but never the newest of a token.
func (r CensusBuilder) ForgetGenerations(ctx context.Context, before time.Time, most int) (forgotten int, err error) {
	return repo.Changed(r.expiredGenerations(before, most).Exec(ctx))
}

// expiredGenerations uses census_generations_expiry. It keeps the newest
// generation of each token, by census_generations_token, because that holds the
// token's census status.
func (r CensusBuilder) expiredGenerations(before time.Time, most int) *bun.RawQuery {
	return r.db.Write().NewRaw(`/* census.forget */
		DELETE FROM census_generations WHERE id IN (
			SELECT g.id FROM census_generations g
			WHERE g.expires_at < ?
				AND EXISTS (SELECT FROM census_generations n WHERE n.chain = g.chain AND n.token = g.token AND n.id > g.id)
			ORDER BY g.expires_at LIMIT ?)`, before, most)
}

// ForgetSnapshot deletes one snapshot, with its rows, that was made before a
// time and belongs to no generation. It returns false if there is none.
func (r CensusBuilder) ForgetSnapshot(ctx context.Context, before time.Time) (forgotten bool, err error) {
	err = r.db.Write().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var id int64
		if err := leftoverSnapshot(tx, before).Scan(ctx, &id); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*model.CensusHolder)(nil)).Comment("census.clear").Where("snapshot = ?", id).Exec(ctx)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, repo.Failure(ctx, err)
}

// leftoverSnapshot uses census_snapshots_age and census_generations_snapshot.
func leftoverSnapshot(on bun.IDB, before time.Time) *bun.RawQuery {
	return on.NewRaw(`/* census.leftover */
		DELETE FROM census_snapshots WHERE id = (
			SELECT s.id FROM census_snapshots s
			WHERE s.created_at < ? AND NOT EXISTS (SELECT FROM census_generations g WHERE g.snapshot = s.id)
			ORDER BY s.created_at LIMIT 1) RETURNING id`, before)
}
