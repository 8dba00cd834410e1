package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"astrolabe/domain"
	"astrolabe/jobs/index"
)

// Screen is a terminal with a progress line at the bottom, below all other
// output.
type Screen struct {
	mu       sync.Mutex
	terminal io.Writer
	lines    map[domain.Chain]string
	text     string // of a command without chains
	drawn    bool
}

// eraseLine goes to the beginning of the line and clears it.
const eraseLine = "\r\x1b[2K"

// On returns a screen for w, or nil if w is not a terminal.
func On(w io.Writer) *Screen {
	file, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return &Screen{terminal: file, lines: make(map[domain.Chain]string)}
}

// Write writes above the progress line.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	n, err := s.terminal.Write(p)
	s.draw()
	return n, err
}

// Report shows the progress of a backfill. It removes the line when the backfill
// is done.
func (s *Screen) Report(p index.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.lines[p.Chain] = progressLine(p)
	if p.Done {
		delete(s.lines, p.Chain)
	}
	s.draw()
}

// Progress returns a function that shows a text in the progress line, or removes
// it if it is empty. It is nil for a screen that is nil.
func (s *Screen) Progress() func(text string) {
	if s == nil {
		return nil
	}
	return func(text string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.erase()
		s.text = text
		s.draw()
	}
}

func (s *Screen) erase() {
	if s.drawn {
		_, _ = io.WriteString(s.terminal, eraseLine)
		s.drawn = false
	}
}

func (s *Screen) draw() {
	var lines []string
	for _, c := range domain.Chains {
		if line, ok := s.lines[c]; ok {
			lines = append(lines, line)
		}
	}
	if s.text != "" {
		lines = append(lines, s.text)
	}
	if len(lines) > 0 {
		_, _ = io.WriteString(s.terminal, strings.Join(lines, "  |  "))
		s.drawn = true
	}
}

// progressLine formats the progress of a backfill.
func progressLine(p index.Progress) string {
	line := fmt.Sprintf("%s %5.1f %%, block %d of %d, %.0f blocks/s, %.0f events/s", p.Chain, 100*p.Share, p.Block, p.Head, p.BlocksPerSecond, p.EventsPerSecond)
	if p.Left > 0 {
		line += fmt.Sprintf(", %s left", p.Left.Round(time.Second))
	}
	return line
}
