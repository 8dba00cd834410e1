package repo

import (
	"errors"
	"io"
	"log/slog"
	"testing"

	"astrolabe/domain"
)

func TestErrorsOfTheQueueSayWhetherTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	for value, want := range map[any]bool{
		"error starting transaction: failed to connect to `user=a database=b`: dial error": true,
		"FATAL: terminating connection due to unexpected postmaster exit (SQLSTATE 57P01)": true,
		"ERROR: relation \"river_job\" does not exist (SQLSTATE 42P01)":                    false,
		io.ErrUnexpectedEOF:       true,
		errors.New("a wrong job"): false,
	} {
		if got := domain.DatabaseAway(riverError(slog.AnyValue(value))); got != want {
			t.Errorf("%v: got %t, want %t", value, got, want)
		}
	}
}
