package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"astrolabe/domain"
	"astrolabe/strictjson"
)

const (
	// maxAnswer bounds each answer of the provider.
	maxAnswer = 256 << 10
	// maxAnswerHeader bounds its header.
	maxAnswerHeader = 64 << 10
	usualPatience   = 10 * time.Second
)

// channel speaks to the provider without a browser in between.
type channel struct {
	client   *http.Client
	patience time.Duration // for one answer
}

func newChannel(transport http.RoundTripper, patience time.Duration) channel {
	if transport == nil {
		usual := http.DefaultTransport.(*http.Transport).Clone()
		usual.MaxResponseHeaderBytes = maxAnswerHeader
		transport = usual
	}
	if patience == 0 {
		patience = usualPatience
	}
	return channel{patience: patience, client: &http.Client{
		Transport: transport,
		// A redirect is an answer like any other that is not 200: what is
		// sent here is for the provider alone.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// get reads a document of the provider.
func (c channel) get(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	status, body, err := c.send(request)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("the status is %d", status)
	}
	return strictjson.Decode(body, into, strictjson.AllowUnknownKeys())
}

// send returns a whole answer.
func (c channel) send(request *http.Request) (status int, body []byte, err error) {
	ctx, leave := context.WithTimeout(request.Context(), c.patience)
	defer leave()
	request.Header.Set("Accept", "application/json")
	response, err := c.client.Do(request.WithContext(ctx))
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // without the address
		}
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err == nil { // a server that notices our leaving first may end its answer in form
		err = ctx.Err()
	}
	if err == nil && len(body) > maxAnswer {
		err = fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	return response.StatusCode, body, err
}

// unavailable says that the provider could not be used. The cause is for the
// log.
func unavailable(cause error) error {
	return domain.Unavailable(askingPause, cause, "The identity provider did not answer. Retry.")
}
