package graph

import (
	"bytes"
	"sync"
)

// buffers are those that answers were written into and that nobody needs any
// more. An answer that began with an empty one would be copied each time it
// doubles.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxRecycled is the size of a buffer that is not worth keeping for the small
// answers that come after it.
const maxRecycled = 1 << 20

// newBuffer returns an empty buffer. The generated code writes an answer into
// it.
func newBuffer() bytes.Buffer { return *bytes.NewBuffer((*buffers.Get().(*[]byte))[:0]) }

// recycle takes a buffer that was written out.
func recycle(buffer []byte) {
	if cap(buffer) <= maxRecycled {
		buffers.Put(&buffer)
	}
}
