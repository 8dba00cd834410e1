package signin

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// lateResponse completes its response when its caller has stopped waiting.
type lateResponse struct{}

func (lateResponse) RoundTrip(request *http.Request) (*http.Response, error) {
	<-request.Context().Done()
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func TestLateProviderResponseIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := newClient(lateResponse{}, time.Minute).Get("https://provider.test")
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute {
			t.Errorf("got %v after %s, want %v after %s", err, took, context.DeadlineExceeded, time.Minute)
		}
	})
}
