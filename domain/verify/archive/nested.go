package archive

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// archiveSuffixes are the endings of names of archives and compressed files.
var archiveSuffixes = []string{
	".7z", ".bz2", ".gz", ".tar", ".taz", ".tbz", ".tbz2", ".tgz", ".txz", ".tz2", ".tzst", ".xz", ".zip", ".zst", ".zstd",
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
}

// nestedFormat returns the format of an archive by the first block of its
// content, or "".
func nestedFormat(head []byte) string {
	for _, signature := range signatures {
		if bytes.HasPrefix(head, []byte(signature.magic)) {
			return signature.format
		}
	}
	if len(head) >= 10 && string(head[:3]) == "BZh" && head[3] >= '1' && head[3] <= '9' &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17rE8P\x90") {
		return "bzip2"
	}
	if len(head) >= 4 && head[0] >= 0x50 && head[0] <= 0x5f && string(head[1:4]) == "\x2a\x4d\x18" {
		return "zstd" // a skippable frame
	}
	if len(head) >= 262 && string(head[257:262]) == "ustar" {
		return "tar"
	}
	if len(head) >= blockSize {
		b := block(head)
		if stored, err := octal(b.checksum()[:7]); err == nil && stored > 0 && b.sum()[:6] == string(b.checksum()[:6]) {
			return "tar" // also of the format before ustar, which has no magic
		}
	}
	return ""
}
