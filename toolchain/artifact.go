package toolchain

import (
	"encoding/base32"
	"encoding/binary"
	"strings"

	"github.com/zeebo/xxh3"
)

// ArtifactID returns the id that Scarb gives the artifacts of a contract: a hash
// of the package's name and the contract's full path, such as hello::Hello.
func ArtifactID(packageName, contractPath string) string {
	return shortHash(packageName, contractPath)
}

// shortHash is the XXH3-64 of texts that each end in the byte 0xff, little-endian
// in lower-case base32hex.
func shortHash(texts ...string) string {
	var data []byte
	for _, text := range texts {
		data = append(append(data, text...), 0xff)
	}
	sum := binary.LittleEndian.AppendUint64(nil, xxh3.Hash(data))
	return strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum))
}
