package verification

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain/verify"
)

// The limits of polling.
const (
	shortestPoll = time.Second
	longestPoll  = 5 * time.Minute
	mostFailures = 10 // of polls, in a row
	cancelTime   = 15 * time.Second
)

// run creates the job, uploads the source and follows the job to its end. A
// request whose outcome is unknown ends it: only the user decides to repeat it.
func (s *submission) run(ctx context.Context) error {
	defer s.show("")
	s.field("idempotencyKey", s.IdempotencyKey)
	s.show("creating the job")
	j, err := s.service.create(ctx, s.described, s.IdempotencyKey)
	if err != nil {
		return s.stopped(ctx, "create the job", err)
	}
	s.field("jobId", printable(j.ID))
	ended, err := s.complete(ctx, j)
	switch {
	case err == nil:
		return s.finish(ctx, ended)
	case ctx.Err() != nil:
		return s.interrupted(ctx, j.ID)
	default:
		return err
	}
}

// complete uploads the source, unless the job has it, and waits for the end of
// the job.
func (s *submission) complete(ctx context.Context, j *job) (*job, error) {
	if j.State == verify.AwaitingUpload {
		s.show("uploading the source")
		uploaded, err := s.service.upload(ctx, j.ID, s.archive)
		if err != nil {
			return nil, s.stopped(ctx, "upload the source", err)
		}
		j = uploaded
	}
	ended, err := s.follow(ctx, j)
	if err != nil {
		return nil, s.stopped(ctx, "read the job", err)
	}
	return ended, nil
}

// follow polls the job until it has ended. A job that has ended already is read
// once: the response to a repeated create has its state, but neither its failure
// nor its receipt.
func (s *submission) follow(ctx context.Context, j *job) (*job, error) {
	began, logged, failures := time.Now(), verify.State(""), 0
	wait := pollAfter(j)
	for {
		if s.Progress == nil && j.State != logged && !j.State.Terminal() {
			s.Logger.Info("the job has a new state", "state", j.State)
			logged = j.State
		}
		s.show(fmt.Sprintf("%s, %s", j.State, time.Since(began).Round(time.Second)))
		if !j.State.Terminal() || failures > 0 {
			if err := s.pause(ctx, wait); err != nil {
				return nil, err
			}
		}
		next, err := s.service.read(ctx, j.ID)
		if err == nil {
			if next.State.Terminal() {
				return next, nil
			}
			j, failures, wait = next, 0, pollAfter(next)
			continue
		}
		refused, answered := errors.AsType[*refusal](err)
		if failures++; ctx.Err() != nil || failures == mostFailures || answered && !refused.temporary() {
			return nil, err
		}
		if wait = pollAfter(j); answered {
			wait = min(max(wait, refused.RetryAfter), longestPoll)
		}
		s.Logger.Warn("could not read the job; trying again", "error", err, "after", wait)
	}
}

func pollAfter(j *job) time.Duration {
	return min(max(time.Duration(j.PollAfterSeconds)*time.Second, shortestPoll), longestPoll)
}

// show shows the progress on a terminal.
func (s *submission) show(text string) {
	if s.Progress != nil {
		s.Progress(text)
	}
}

// stopped returns the error of a request that was sent once. A refusal has a
// known outcome; after any other error the job may exist.
func (s *submission) stopped(ctx context.Context, act string, err error) error {
	if refused, ok := errors.AsType[*refusal](err); ok {
		return &Error{exitRefused, refused}
	}
	if ctx.Err() != nil {
		return &Error{exitInterrupted, fmt.Errorf("interrupted while trying to %s; to continue, repeat the command with --idempotency-key %s", act, s.IdempotencyKey)}
	}
	return fmt.Errorf("%s: %w; to continue, repeat the command with --idempotency-key %s", act, err, s.IdempotencyKey)
}

// interrupted cancels the job after Ctrl-C, or says how to.
func (s *submission) interrupted(ctx context.Context, id string) error {
	if !s.CancelOnInterrupt {
		return &Error{exitInterrupted, fmt.Errorf(`interrupted, and job %s goes on; to follow it, repeat the command with --idempotency-key %s; to cancel it: curl -X POST -H "X-Service-Api-Key: $ASTROLABE_API_KEY" %s/cancel`,
			printable(id), s.IdempotencyKey, s.service.jobURL(id))}
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	j, err := s.service.cancel(ctx, id)
	if err != nil {
		return s.stopped(ctx, "cancel the job", err)
	}
	return s.finish(ctx, j) // which may have succeeded before
}
