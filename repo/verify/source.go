package verify

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"astrolabe/domain/verify"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// piece is the size of a stored piece of a source. It bounds the memory that an
// upload or a read needs.
const piece = 256 << 10

// copyHeader begins Postgres' binary COPY format, and copyEnd ends it.
var (
	copyHeader = []byte("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	copyEnd    = []byte{0xff, 0xff}
)

// copySource stores a source in pieces.
func copySource(ctx context.Context, tx repo.Tx, job string, body io.Reader) error {
	rows := io.MultiReader(bytes.NewReader(copyHeader), &pieces{job: job, body: body}, bytes.NewReader(copyEnd))
	return tx.Copy(ctx, "verification_sources", "job, part, bytes", rows)
}

// pieces reads a source as rows of the binary COPY format, one at a time.
type pieces struct {
	job  string
	body io.Reader
	part uint32
	row  []byte // the rest of the current row
}

// Read implements io.Reader.
func (p *pieces) Read(into []byte) (int, error) {
	if len(p.row) == 0 {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n := copy(into, p.row)
	p.row = p.row[n:]
	return n, nil
}

// next makes the row of the next piece.
func (p *pieces) next() error {
	content := make([]byte, piece)
	n, err := io.ReadFull(p.body, content)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err // also at the end
	}
	row := binary.BigEndian.AppendUint16(nil, 3)
	row = binary.BigEndian.AppendUint32(row, uint32(len(p.job)))
	row = append(row, p.job...)
	row = binary.BigEndian.AppendUint32(row, 4)
	row = binary.BigEndian.AppendUint32(row, p.part)
	row = binary.BigEndian.AppendUint32(row, uint32(n))
	p.row = append(row, content[:n]...)
	p.part++
	return nil
}

// Source implements verify.JobStore. It reads one piece at a time by the primary
// key, so that a slow reader holds no connection.
func (r Jobs) Source(ctx context.Context, job *verify.Job) io.Reader {
	return newSource(ctx, r.db, job)
}

func newSource(ctx context.Context, db *repo.DB, job *verify.Job) io.Reader {
	return &source{ctx: ctx, db: db, job: job.ID, left: job.Package.UploadByteLength}
}

type source struct {
	ctx  context.Context //nolint:containedctx // io.Reader has none
	db   *repo.DB
	job  string
	part int64
	left int64  // bytes that were not fetched yet
	rest []byte // of the current piece
}

// Read implements io.Reader.
func (s *source) Read(into []byte) (int, error) {
	if len(s.rest) == 0 {
		if s.left == 0 {
			return 0, io.EOF
		}
		if err := s.fetch(); err != nil {
			return 0, err
		}
	}
	n := copy(into, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *source) fetch() error {
	row := model.VerificationSource{Job: s.job, Part: s.part}
	err := s.db.Write().NewSelect().Model(&row).Comment("verification.source").WherePK().Scan(s.ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return verify.ErrSourceDeleted
	case err != nil:
		return repo.Failure(s.ctx, err)
	case len(row.Bytes) == 0 || int64(len(row.Bytes)) > s.left:
		return fmt.Errorf("piece %d of the source of %s has %d bytes, which does not fit its length", s.part, s.job, len(row.Bytes))
	}
	s.rest, s.part, s.left = row.Bytes, s.part+1, s.left-int64(len(row.Bytes))
	return nil
}
