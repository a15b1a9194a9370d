package sim

// model is what one kind of GPU can do. A device of the file that names a known model takes what it does not set from here.
type model struct {
	MemoryMiB         int64
	ReservedMiB       int64
	IdleWatts         int64
	LimitWatts        int64
	IdleCelsius       int64
	FullCelsius       int64
	IdleMHz           int64 // SM clock with nothing to do
	FullMHz           int64 // SM clock at full load
	MemoryMHz         int64
	Fan               bool // false: cooled by the server, so the device reports no fan
	ComputeCapability string
}

// models holds the makers' figures: memory, limit and boost clock from NVIDIA's datasheets of the A100 (June 2021), H100
// (2023), L4 (2023), L40S (2023), T4 (2019) and the RTX 4090's page; compute capability from the CUDA programming guide.
// Idle power, temperatures and the driver's reserve are rounded from what such machines commonly show.
var models = map[string]model{
	"A100-SXM4-80GB":   {81920, 616, 60, 400, 31, 68, 210, 1410, 1593, false, "8.0"},
	"A100-SXM4-40GB":   {40960, 571, 52, 400, 30, 66, 210, 1410, 1215, false, "8.0"},
	"H100-SXM5-80GB":   {81559, 551, 70, 700, 30, 66, 345, 1980, 2619, false, "9.0"},
	"L40S":             {46068, 512, 34, 350, 29, 72, 210, 2520, 9001, false, "8.9"},
	"L4":               {23034, 512, 16, 72, 36, 76, 210, 2040, 6251, false, "8.9"},
	"T4":               {15360, 449, 10, 70, 34, 77, 300, 1590, 5001, false, "7.5"},
	"GeForce RTX 4090": {24564, 492, 22, 450, 33, 71, 210, 2520, 10501, true, "8.9"},
}
