package strictjson

import (
	"strings"
	"testing"
)

func BenchmarkDecodeTwelveFields(b *testing.B) {
	body := []byte(packageBody)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var target buildPackage
		if err := Decode(body, &target); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCanonicalTwoKilobytes(b *testing.B) {
	row := `{"txHash":"0x5f1a","blockNumber":123456.0,"fee":1.25e-3,"ok":true,"keys":["0x1","0x2"],"memo":null}`
	document := []byte("[" + strings.Repeat(row+",", 2048/len(row)) + row + "]")
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Canonical(document); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigestTwelveFields(b *testing.B) {
	body := []byte(packageBody)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Digest(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIntegerWithHugeExponent(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var n Integer
		if n.UnmarshalJSON([]byte("1e1000000000")) == nil {
			b.Fatal("accepted")
		}
	}
}
