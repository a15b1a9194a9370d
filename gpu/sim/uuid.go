package sim

import (
	"crypto/sha256"
	"encoding/hex"
)

// uuidPrefix begins every simulated UUID and no real one: the first group is zero.
const uuidPrefix = "GPU-00000000-51a0-8"

// uuidOf derives a device's UUID from its id in the file alone, so that neither its place in the file nor anything else that
// is edited changes who it is. The form is that of a version 8 (own scheme) UUID.
func uuidOf(id string) string {
	sum := sha256.Sum256([]byte("meterhouse simulated gpu\x00" + id))
	h := hex.EncodeToString(sum[:])
	return uuidPrefix + h[:3] + "-8" + h[3:6] + "-" + h[6:18]
}
