package bench

import (
	"io/fs"
	"strings"
)

// assumedCacheBytes stands in where the machine does not tell the size of its last-level cache, as many virtual machines do:
// the largest that a single group of cores shares on common servers.
const assumedCacheBytes = 32 << 20

// lastLevelCache is the size of all last-level caches together: the highest level that the kernel lists, each cache once,
// however many processors share it. known is false where it lists none.
func lastLevelCache(root fs.FS) (bytes int64, known bool) {
	dirs, _ := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*")
	level := int64(0)
	seen := map[string]bool{}
	for _, dir := range dirs {
		at, size := number(readText(root, dir+"/level")), cacheSize(readText(root, dir+"/size"))
		if size == 0 || at < level || readText(root, dir+"/type") == "Instruction" {
			continue
		}
		if at > level {
			level, bytes = at, 0
			clear(seen)
		}
		shared := readText(root, dir+"/shared_cpu_list")
		if !seen[shared] {
			seen[shared] = true
			bytes += size
		}
	}
	return bytes, bytes > 0
}

// cacheSize reads "32768K" and "1M"; 0 for anything else.
func cacheSize(s string) int64 {
	if n, ok := strings.CutSuffix(s, "K"); ok {
		return number(n) << 10
	}
	if n, ok := strings.CutSuffix(s, "M"); ok {
		return number(n) << 20
	}
	return 0
}
