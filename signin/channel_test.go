package signin

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// lateAnswer ends its answer in form the moment that nobody waits for it.
type lateAnswer struct{}

func (lateAnswer) RoundTrip(request *http.Request) (*http.Response, error) {
	<-request.Context().Done()
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func TestAnAnswerThatComesTooLateIsNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := newChannel(lateAnswer{}, time.Minute).get(t.Context(), "https://provider.test", &struct{}{})
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute {
			t.Errorf("after %s: %v", took, err)
		}
	})
}
