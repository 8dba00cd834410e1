package strictjson

import "testing"

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
