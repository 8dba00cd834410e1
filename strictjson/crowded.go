package strictjson

// Crowded reports whether an object in data has more than most members. Decode
// needs many times the memory of the text to find duplicate keys, so callers
// should refuse such objects of unknown senders first. The answer may be wrong for
// text that is not JSON.
func Crowded(data []byte, most int) bool {
	var members [MaxDepth + 1]int // of the open objects, by depth
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return false // is refused for its depth
			}
			members[depth] = 0
		case c == '}' || c == ']':
			depth = max(0, depth-1)
		case c == ':':
			if members[depth]++; members[depth] > most {
				return true
			}
		}
	}
	return false
}
