package archive

import (
	"bytes"
	"encoding/binary"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// archiveSuffixes are the endings of names of archives and compressed files, in
// lower case.
var archiveSuffixes = []string{
	".7z", ".ar", ".bz", ".bz2", ".cab", ".cpio", ".gz", ".jar", ".lz", ".lz4", ".lzma", ".rar", ".tar", ".taz", ".tbz", ".tbz2",
	".tgz", ".tlz", ".txz", ".tz2", ".tzst", ".war", ".whl", ".xz", ".z", ".zip", ".zst", ".zstd",
}

func archiveName(name string) bool {
	return slices.Contains(archiveSuffixes, strings.ToLower(path.Ext(name)))
}

// signatures are the first bytes of archives and compressed files.
var signatures = []struct{ format, magic string }{
	{"gzip", "\x1f\x8b"},
	{"zip", "PK\x03\x04"},
	{"zip", "PK\x05\x06"},
	{"zip", "PK\x07\x08"},
	{"xz", "\xfd7zXZ\x00"},
	{"7z", "7z\xbc\xaf\x27\x1c"},
	{"zstd", "\x28\xb5\x2f\xfd"},
	{"rar", "Rar!\x1a\x07"},
	{"cpio", "070701"},
	{"cpio", "070702"},
	{"cpio", "070707"},
	{"ar", "!<arch>\n"},
	{"ar", "!<thin>\n"},
	{"lz4", "\x04\x22\x4d\x18"},
	{"lz4", "\x02\x21\x4c\x18"},
	{"compress", "\x1f\x9d"},
	{"lzip", "LZIP\x00"},
	{"lzip", "LZIP\x01"},
	{"cab", "MSCF\x00\x00\x00\x00"},
}

// nestedFormat returns the format of an archive by the first block of its
// content, or "". A zip file with other data before it is not recognised,
// because its directory stands at its end.
func nestedFormat(head []byte) string {
	for _, signature := range signatures {
		if bytes.HasPrefix(head, []byte(signature.magic)) {
			return signature.format
		}
	}
	switch {
	case len(head) >= 10 && string(head[:3]) == "BZh" && head[3] >= '1' && head[3] <= '9' &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17rE8P\x90"):
		return "bzip2"
	case len(head) >= 4 && head[0] >= 0x50 && head[0] <= 0x5f && string(head[1:4]) == "\x2a\x4d\x18":
		return "zstd" // a skippable frame
	case isBinaryCpio(head):
		return "cpio"
	case isLZMA(head):
		return "lzma"
	case isTar(head):
		return "tar"
	}
	return ""
}

// isBinaryCpio recognises the old cpio format in both byte orders. Its magic
// alone may begin a text, but no text has a NUL in the header that follows.
func isBinaryCpio(head []byte) bool {
	const headerSize = 26
	return len(head) >= headerSize && (string(head[:2]) == "\xc7\x71" || string(head[:2]) == "\x71\xc7") &&
		bytes.IndexByte(head[:headerSize], 0) >= 0
}

// isLZMA recognises the format before xz, which has no magic: a byte of
// properties, the size of the dictionary, the size of the content, and a
// compressed stream, which begins with NUL. As in the XZ Utils, the dictionary
// has 2^n or 2^n + 2^(n-1) bytes, and the content less than 256 GiB.
func isLZMA(head []byte) bool {
	const smallest, headerSize = 4 << 10, 13
	if len(head) <= headerSize || head[0] >= 9*5*5 || head[headerSize] != 0 {
		return false
	}
	dictionary, size := binary.LittleEndian.Uint32(head[1:]), binary.LittleEndian.Uint64(head[5:])
	odd := dictionary
	for odd != 0 && odd&1 == 0 {
		odd >>= 1
	}
	return dictionary >= smallest && (odd == 1 || odd == 3 || dictionary == math.MaxUint32) &&
		(size < 1<<38 || size == math.MaxUint64)
}

// isTar recognises ustar and its variants by their magic, and the format before
// them, which has none, by its checksum. Readers of tar accept a checksum with
// leading zeros or spaces, and one over signed bytes.
func isTar(head []byte) bool {
	if len(head) >= 262 && string(head[257:262]) == "ustar" {
		return true
	}
	if len(head) < blockSize {
		return false
	}
	b := block(head)
	digits := strings.TrimLeft(string(b.checksum()), " \x00")
	if end := strings.IndexAny(digits, " \x00"); end >= 0 {
		digits = digits[:end]
	}
	stored, err := strconv.ParseUint(digits, 8, 32)
	unsigned, signed := b.total()
	return err == nil && (int(stored) == unsigned || int(stored) == signed)
}
