package domain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestOnlyADomainErrorIsPublic(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	secret := errors.New("pq: password authentication failed")
	refusal := Errorf(CodeForbidden, "no")
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want Code
	}{
		"a domain error":                       {t.Context(), refusal, CodeForbidden},
		"a wrapped one":                        {t.Context(), fmt.Errorf("while reading: %w", refusal), CodeForbidden},
		"one that came after the time was up":  {ended, refusal, CodeForbidden},
		"any other error":                      {t.Context(), secret, CodeInternal},
		"any other error after the time is up": {ended, secret, CodeServiceUnavailable},
		"a deadline of a part of the request":  {t.Context(), fmt.Errorf("reading: %w", context.DeadlineExceeded), CodeServiceUnavailable},
	} {
		got := Public(c.ctx, c.err)
		if got.Code != c.want || strings.Contains(got.Message, "password") {
			t.Errorf("%s: got %s with %q, want %s without secrets", name, got.Code, got.Message, c.want)
		}
		if want := map[Code]int{CodeServiceUnavailable: 2}[c.want]; got.RetrySeconds() != want {
			t.Errorf("%s: got a retry after %d s, want %d", name, got.RetrySeconds(), want)
		}
	}
	if !errors.Is(Public(ended, secret), secret) {
		t.Errorf("got the error %v for the log, want it to wrap %v", Public(ended, secret), secret)
	}
}

func TestRetryAfterIsRoundedUp(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]int{0: 0, 1: 1, time.Second: 1, 1500 * time.Millisecond: 2} {
		if got := Unavailable(after, nil, "Retry.").RetrySeconds(); got != want {
			t.Errorf("%s gives %d s, want %d", after, got, want)
		}
	}
}

func TestOnlyUnexpectedFailuresAreLoggedAsErrors(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("refused")
	for name, c := range map[string]struct {
		ctx  context.Context
		err  *Error
		want slog.Level
	}{
		"an unknown failure":          {t.Context(), Public(t.Context(), broken), slog.LevelError},
		"a dependency that failed":    {t.Context(), Unavailable(0, broken, "The node did not answer."), slog.LevelError},
		"a state that will pass":      {t.Context(), Unavailable(0, nil, "The census is being prepared."), slog.LevelInfo},
		"a client that went away":     {gone, Public(gone, broken), slog.LevelDebug},
		"a state for one who is gone": {gone, Unavailable(0, nil, "The census is being prepared."), slog.LevelDebug},
	} {
		if got := c.err.LogLevel(c.ctx); got != c.want {
			t.Errorf("%s is logged as %s, want %s", name, got, c.want)
		}
	}
}

func TestExceededTimeLimitIsNamed(t *testing.T) {
	t.Parallel()
	ctx, cancel := WithTimeLimit(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if got, want := Public(ctx, ctx.Err()).Message, "The request exceeded its time limit of 1ns. Retry, or request less data at once."; got != want {
		t.Errorf("the message is %q, want %q", got, want)
	}
}
