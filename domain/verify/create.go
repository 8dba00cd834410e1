package verify

import (
	"context"
	"regexp"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

const (
	// MaxPerDay is how many jobs a workspace may create in a UTC day.
	MaxPerDay = 5
	// MaxQueue is how many jobs of all workspaces may be unfinished.
	MaxQueue = 64

	retryActive = 60 * time.Second
	retryQueue  = 60 * time.Second
)

// KeyForm is the pattern of idempotency keys.
const KeyForm = `^[A-Za-z0-9._:-]{1,128}$`

var keyForm = regexp.MustCompile(KeyForm)

// Create creates a job, or returns the one that the workspace created before
// with the same idempotency key and the same package, with created false. The
// latter is answered whatever the limits are, and refused requests do not count.
//
// The errors are, in this order: idempotency_key_required or
// invalid_idempotency_key; what ParsePackage returns;
// unsupported_verification_chain; unsupported_policy; idempotency_key_reused for
// another package; verification_unavailable; finalized_declaration_unavailable;
// verification_active_job; verification_daily_quota; verification_queue_full.
func (j *Jobs) Create(ctx context.Context, c domain.Chain, caller *account.Caller, key string, body []byte) (job *Job, created bool, err error) {
	if err := mayVerify(caller); err != nil {
		return nil, false, err
	}
	if err := checkKey(key); err != nil {
		return nil, false, err
	}
	p, err := ParsePackage(body)
	switch {
	case err != nil && domain.CodeOf(err) != domain.CodeUnsupportedPolicy:
		return nil, false, err
	case c != domain.Mainnet:
		return nil, false, domain.Errorf(domain.CodeUnsupportedVerificationChain, "Only classes of %s can be verified, got %s.", domain.Mainnet, c)
	case err != nil:
		return nil, false, err
	}
	if known, err := j.store.JobByKey(ctx, caller.Workspace, key); err != nil || known != nil {
		return replay(known, p, err)
	}
	if err := j.available(ctx); err != nil {
		return nil, false, err
	}
	if err := j.declared(ctx, c, p.SelectedClassHash); err != nil {
		return nil, false, err
	}
	if err := j.expireActive(ctx, caller.Workspace); err != nil {
		return nil, false, err
	}
	now := domain.Milliseconds(j.now())
	stored, added, err := j.store.AddJob(ctx, &Job{
		ID: newID(), Chain: c, Workspace: caller.Workspace, IdempotencyKey: key, Package: p, State: AwaitingUpload,
		CreatedAt: now, UpdatedAt: now, UploadExpiresAt: now.Add(UploadWindow), History: []Transition{{AwaitingUpload, now}},
	}, func(l Load) error { return l.admit(now) })
	if err != nil || !added {
		return replay(stored, p, err)
	}
	j.moved(AwaitingUpload)
	return stored, true, nil
}

// expireActive ends the job of a workspace whose upload window has ended, so that
// a new one need not wait for upkeep.
func (j *Jobs) expireActive(ctx context.Context, workspace string) error {
	active, err := j.store.ActiveJob(ctx, workspace)
	if err == nil && active != nil && active.overdue(j.now()) {
		_, _, err = j.move(ctx, active.ID, (*Job).expire)
	}
	return err
}

// mayVerify allows only API keys, which always belong to a workspace.
func mayVerify(caller *account.Caller) error {
	if err := caller.Require(account.Verify); err != nil {
		return err
	}
	if caller.Kind != account.ByKey || caller.Workspace == "" {
		return domain.Errorf(domain.CodeForbidden, "Verifying contracts requires an API key of a workspace.")
	}
	return nil
}

func checkKey(key string) error {
	switch {
	case key == "":
		return domain.Errorf(domain.CodeIdempotencyKeyRequired, "%s is required: 1 to 128 characters from A-Z a-z 0-9 . _ : -.", domain.Argument("idempotencyKey"))
	case !keyForm.MatchString(key):
		return domain.Errorf(domain.CodeInvalidIdempotencyKey, "%s must have 1 to 128 characters from A-Z a-z 0-9 . _ : -.", domain.Argument("idempotencyKey"))
	}
	return nil
}

// replay returns the job of an idempotency key to a request with a package.
func replay(known *Job, p Package, err error) (*Job, bool, error) {
	if err != nil {
		return nil, false, err
	}
	if known.Package.Digest() != p.Digest() {
		return nil, false, domain.Errorf(domain.CodeIdempotencyKeyReused,
			"The workspace has used this idempotency key for another package. Use a new key, or retry with the same package.")
	}
	return known, false, nil
}

// admit decides whether one more job fits.
func (l Load) admit(now time.Time) error {
	refuse := func(code domain.Code, after time.Duration, format string, args ...any) error {
		err := domain.Errorf(code, format, args...)
		err.RetryAfter = after
		return err
	}
	switch {
	case l.Active:
		return refuse(domain.CodeVerificationActiveJob, retryActive,
			"The workspace has a verification job that has not ended. Wait until it ends, or cancel it.")
	case l.Today >= MaxPerDay:
		midnight := account.Day(now).Add(day)
		return refuse(domain.CodeVerificationDailyQuota, midnight.Sub(now),
			"The workspace has created %d verification jobs today, which is its limit. It may create more from midnight UTC.", l.Today)
	case l.Queue >= MaxQueue:
		return refuse(domain.CodeVerificationQueueFull, retryQueue,
			"%d verification jobs have not ended, which is the limit of this deployment. Retry later.", l.Queue)
	}
	return nil
}
