package accounts

import (
	"context"
	"crypto/sha256"
	"time"

	"astrolabe/domain/account"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// Logins remembers which sign-ins were used.
type Logins struct{ db *repo.DB }

var _ account.LoginStore = Logins{}

// NewLogins returns the repository of used sign-ins.
func NewLogins(db *repo.DB) Logins { return Logins{db} }

// UseLogin implements account.LoginStore.
func (r Logins) UseLogin(ctx context.Context, id [sha256.Size]byte, expires time.Time) (first bool, err error) {
	row := model.UsedLogin{ID: id[:], ExpiresAt: expires}
	count, err := repo.Changed(r.db.Write().NewInsert().Model(&row).Comment("login.use").On("CONFLICT (id) DO NOTHING").Exec(ctx))
	return count == 1, repo.Failure(ctx, err)
}

// ForgetLogins deletes the sign-ins that expired before a time, by
// used_logins_expiry.
func (r Logins) ForgetLogins(ctx context.Context, before time.Time) (forgotten int, err error) {
	return repo.Changed(r.db.Write().NewDelete().Model((*model.UsedLogin)(nil)).Comment("login.forget").
		Where("expires_at < ?", before).Exec(ctx))
}
