package verify_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/verify"
)

// races is how many races are run: more when ASTROLABE_SOAK is set.
func races() int {
	if os.Getenv("ASTROLABE_SOAK") != "" {
		return 10_000
	}
	return 100
}

// TestACancellationAndAnAdmissionNeverBothWin lets the owner cancel each job while
// two controllers decide on it.
func TestACancellationAndAnAdmissionNeverBothWin(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	controllers := []*verify.Controller{c.registered(1), c.registered(2)}
	const batch = 100
	succeeded, cancelled := 0, 0
	for done := 0; done < races(); done += batch {
		ids := make([]string, batch)
		for i := range ids {
			ids[i] = c.comparing("r"+letters(done+i), c.document)
		}
		var all sync.WaitGroup
		for lane := range 4 {
			all.Go(func() {
				for i := lane; i < batch; i += 4 {
					c.race(controllers, ids[i], "r"+letters(done+i), i)
				}
			})
		}
		all.Wait()
		for i, id := range ids {
			job := c.job(id)
			terminal := 0
			for _, move := range job.History {
				if move.State.Terminal() {
					terminal++
				}
			}
			receipts := c.count("verification_receipts WHERE job = $1", id)
			switch {
			case terminal != 1 || job.History[len(job.History)-1].State != job.State || len(job.History) != 6:
				t.Fatalf("race %d: got the state %s after %v, want one terminal state", done+i, job.State, job.History)
			case job.State == verify.Succeeded && receipts == 1:
				succeeded++
			case job.State == verify.Cancelled && receipts == 0 && job.ReceiptID == nil:
				cancelled++
			default:
				t.Fatalf("race %d: got %s with %d receipts, want succeeded with one or cancelled with none", done+i, job.State, receipts)
			}
		}
	}
	if n := len(c.checksReceipts()); n != succeeded || succeeded == 0 || cancelled == 0 {
		t.Errorf("got %d receipts for %d succeeded and %d cancelled jobs, want one for each success and some of both", n, succeeded, cancelled)
	}
	t.Logf("%d succeeded, %d cancelled", succeeded, cancelled)
}

// letters spells a number with letters of job IDs.
func letters(n int) string {
	text := ""
	for range 4 {
		text = string(rune('a'+n%26)) + text
		n /= 26
	}
	return text
}

// race lets a cancellation and two controllers act on a job at once, except that in
// every tenth race the cancellation waits for a controller, and in another tenth
// the controllers wait for it, so that both win somewhere on any machine. The answer
// of each must be what is stored in the end.
func (c *control) race(controllers []*verify.Controller, id, workspace string, number int) {
	start, stopped, compared := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	var once sync.Once
	decided := make([]bool, len(controllers))
	var cancelled *verify.Job
	acts := []func() error{
		func() (err error) {
			if number%10 == 0 {
				<-compared
			}
			cancelled, err = c.Cancel(c.Context(), domain.Mainnet, workspace, id)
			close(stopped)
			return err
		},
	}
	for i, controller := range controllers {
		acts = append(acts, func() (err error) {
			if number%10 == 1 {
				<-stopped
			}
			decided[i], err = controller.Compare(c.Context(), id)
			once.Do(func() { close(compared) })
			return err
		})
	}
	for i := range acts {
		act := acts[(i+number)%len(acts)]
		group.Go(func() {
			<-start
			if err := act(); err != nil {
				c.Error(err)
			}
		})
	}
	close(start)
	group.Wait()
	if cancelled == nil {
		return
	}
	admitted := decided[0] || decided[1]
	if decided[0] && decided[1] || admitted != (cancelled.State == verify.Succeeded) || admitted == (cancelled.State == verify.Cancelled) {
		c.Error(fmt.Errorf("%s: got decisions %v and the cancellation answered with %s, want one winner that all agree on", id, decided, cancelled.State))
	}
}

func TestReceiptsHaveNoGapsUnderParallelAdmissionsAndRollbacks(t *testing.T) {
	t.Parallel()
	c := newControl(t)
	controllers := []*verify.Controller{c.registered(1), c.registered(2), c.registered(3)}
	const jobs = 30
	for i := range jobs {
		c.comparing("g"+letters(i), c.document)
	}
	// Every third admission fails at its last statement, after it took a number.
	c.do(`CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN IF random() < 0.34 THEN RAISE EXCEPTION 'stumbled'; END IF; RETURN NEW; END $$`)
	c.do("CREATE TRIGGER stumble BEFORE UPDATE ON verification_jobs FOR EACH ROW EXECUTE FUNCTION stumble()")
	var failures, group = make([]int, len(controllers)), sync.WaitGroup{}
	for i, controller := range controllers {
		group.Go(func() {
			for range 100 {
				_, err := controller.Pass(c.Context())
				if err == nil {
					return
				}
				failures[i]++
			}
		})
	}
	group.Wait()
	if n := len(c.checksReceipts()); n != jobs || failures[0]+failures[1]+failures[2] == 0 {
		t.Errorf("got %d receipts after %v failures, want %d and some failures", n, failures, jobs)
	}
}
