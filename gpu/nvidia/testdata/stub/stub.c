/* A stand-in for NVIDIA's libnvidia-ml.so.1, for tests. It implements what Meterhouse calls and nothing else. What it
 * answers stands in the file that METERHOUSE_NVML_STUB names, which is read again at each call, so that a test changes the
 * hardware by writing the file anew (by rename). Lines:
 *
 *   init N                       what nvmlInit answers (0: success, -1: it waits until the file says otherwise)
 *   call N                       what every other call answers, unless 0
 *   gpu key=value ...            one device: uuid, bus, name, memory, reserved, used, power, limit, energy, temperature,
 *                                util, busy, fan, clock, pid, answer (of all its calls), identity (what its UUID call
 *                                answers), unsupported (a mask of the U_ bits), links (so many of its 18 NVLinks are up and end at the far-th
 *                device of the file; 0: it has none), hang (1: calls wait until it is 0)
 *   xid N uuid=... code=...      an error, told once to each event set; N grows
 *
 * Built with -DWITHOUT_INIT, -DWITHOUT_MEMORY_V2 or -DWITHOUT_PROCESSES it lacks those functions, as older drivers do.
 * It ends the process where a caller breaks NVML's rules: a call without Init, or two calls at once in one device.
 * If the file's name with ".log" exists, a line "function uuid" is added for each call in a device. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

enum { OK = 0, UNINITIALIZED = 1, NOT_SUPPORTED = 3, INSUFFICIENT_SIZE = 7, TIMEOUT = 10, LOST = 15, NOT_FOUND = 6 };
enum { U_UTIL = 1, U_POWER = 2, U_ENERGY = 4, U_MEMORY_V2 = 8, U_TEMPERATURE = 16 };
enum { MAX = 64 };

typedef struct {
	char uuid[96], bus[32], name[96];
	long long memory, reserved, used, power, limit, energy, temperature, util, busy, fan, clock, pid;
	long long answer, identity, unsupported, hang, links, far;
} gpu_t;

typedef struct { char uuid[96]; atomic_int inside; } handle_t; /* what a nvmlDevice_t points at */
typedef struct { long long seen; } set_t;

static handle_t handles[MAX];
static atomic_int started;

static void nap(void) { struct timespec t = {0, 2000000}; nanosleep(&t, NULL); }

static void breach(const char *what) {
	fprintf(stderr, "nvml stub: the caller broke a rule: %s\n", what);
	abort();
}

static void set_field(gpu_t *g, const char *key, const char *value) {
	struct { const char *key; long long *field; } numbers[] = {
		{"memory", &g->memory}, {"reserved", &g->reserved}, {"used", &g->used}, {"power", &g->power},
		{"limit", &g->limit}, {"energy", &g->energy}, {"temperature", &g->temperature}, {"util", &g->util},
		{"busy", &g->busy}, {"fan", &g->fan}, {"clock", &g->clock}, {"pid", &g->pid}, {"answer", &g->answer},
		{"identity", &g->identity}, {"links", &g->links}, {"far", &g->far},
		{"unsupported", &g->unsupported}, {"hang", &g->hang}};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!strcmp(key, numbers[i].key)) *numbers[i].field = strtoll(value, NULL, 10);
	if (!strcmp(key, "uuid")) snprintf(g->uuid, sizeof g->uuid, "%s", value);
	if (!strcmp(key, "bus")) snprintf(g->bus, sizeof g->bus, "%s", value);
	if (!strcmp(key, "name")) snprintf(g->name, sizeof g->name, "%s", value);
	for (char *c = g->name; *c; c++) if (*c == '_') *c = ' ';
}

static void set_fields(gpu_t *g, char *save) {
	for (char *word; (word = strtok_r(NULL, " \n", &save));) {
		char *value = strchr(word, '=');
		if (!value) continue;
		*value++ = 0;
		set_field(g, word, value);
	}
}

typedef struct { int init, call, count; gpu_t gpus[MAX]; int xids; long long xid[MAX]; long long code[MAX]; char whose[MAX][96]; } script_t;

static script_t *script(void) {
	script_t *s = calloc(1, sizeof *s);
	const char *path = getenv("METERHOUSE_NVML_STUB");
	FILE *f = path ? fopen(path, "r") : NULL;
	char line[1024];
	while (f && fgets(line, sizeof line, f)) {
		char *save, *word = strtok_r(line, " \n", &save);
		if (!word) continue;
		if (!strcmp(word, "init")) s->init = atoi(strtok_r(NULL, " \n", &save));
		if (!strcmp(word, "call")) s->call = atoi(strtok_r(NULL, " \n", &save));
		if (!strcmp(word, "gpu") && s->count < MAX) set_fields(&s->gpus[s->count++], save);
		if (!strcmp(word, "xid") && s->xids < MAX) {
			s->xid[s->xids] = atoll(strtok_r(NULL, " \n", &save));
			char *uuid = strtok_r(NULL, " \n", &save), *code = strtok_r(NULL, " \n", &save);
			snprintf(s->whose[s->xids], 96, "%s", uuid + strlen("uuid="));
			s->code[s->xids++] = atoll(code + strlen("code="));
		}
	}
	if (f) fclose(f);
	return s;
}

static void note(const char *function, const char *uuid) {
	char path[512], line[256];
	snprintf(path, sizeof path, "%s.log", getenv("METERHOUSE_NVML_STUB"));
	int fd = open(path, O_WRONLY | O_APPEND);
	if (fd < 0) return;
	int n = snprintf(line, sizeof line, "%s %s\n", function, uuid);
	if (write(fd, line, n) != n) breach("the log can not be written");
	close(fd);
}

static void need_start(void) { if (!atomic_load(&started)) breach("a call without a successful Init"); }

/* enter begins a call in a device: it checks the rules, waits while the script says that it hangs, and finds the device. */
static int enter(handle_t *h, const char *function, gpu_t *g) {
	need_start();
	if (atomic_fetch_add(&h->inside, 1)) breach("two calls at once in one device");
	note(function, h->uuid);
	for (;;) {
		script_t *s = script();
		int answer = LOST, hang = 0;
		for (int i = 0; i < s->count; i++)
			if (!strcmp(s->gpus[i].uuid, h->uuid)) {
				*g = s->gpus[i];
				hang = g->hang != 0;
				answer = s->call ? s->call : g->answer;
			}
		free(s);
		if (!hang) return answer;
		nap();
	}
}

static int leave(handle_t *h, int answer) {
	atomic_fetch_sub(&h->inside, 1);
	return answer;
}

#define IN_DEVICE(...) \
	gpu_t g; \
	memset(&g, 0, sizeof g); \
	int answer = enter(h, __func__, &g); \
	if (answer == OK) { __VA_ARGS__ } \
	return leave(h, answer);

#ifndef WITHOUT_INIT
int nvmlInit_v2(void) {
	int answer;
	for (;; nap()) {
		script_t *s = script();
		answer = s->init;
		free(s);
		if (answer != -1) break;
	}
	if (answer == OK) atomic_fetch_add(&started, 1);
	return answer;
}
#endif

int nvmlShutdown(void) {
	if (!atomic_load(&started)) return UNINITIALIZED;
	atomic_fetch_sub(&started, 1);
	for (int i = 0; i < MAX; i++) if (atomic_load(&handles[i].inside)) breach("Shutdown under a call in flight");
	return OK;
}

int nvmlSystemGetDriverVersion(char *out, unsigned n) { need_start(); snprintf(out, n, "550.54.15"); return OK; }

int nvmlDeviceGetCount_v2(unsigned *n) {
	need_start();
	script_t *s = script();
	int answer = s->call;
	*n = s->count;
	free(s);
	return answer;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, handle_t **out) {
	need_start();
	script_t *s = script();
	int answer = index < (unsigned)s->count ? s->call ? s->call : (int)s->gpus[index].identity : NOT_FOUND;
	if (answer == OK) {
		static atomic_flag guard = ATOMIC_FLAG_INIT;
		while (atomic_flag_test_and_set(&guard)) nap();
		int i = 0;
		while (i < MAX - 1 && *handles[i].uuid && strcmp(handles[i].uuid, s->gpus[index].uuid)) i++;
		snprintf(handles[i].uuid, sizeof handles[i].uuid, "%s", s->gpus[index].uuid);
		*out = &handles[i];
		atomic_flag_clear(&guard);
	}
	free(s);
	return answer;
}

int nvmlDeviceGetUUID(handle_t *h, char *out, unsigned n) { IN_DEVICE(snprintf(out, n, "%s", g.uuid);) }
int nvmlDeviceGetName(handle_t *h, char *out, unsigned n) { IN_DEVICE(snprintf(out, n, "%s", g.name);) }

typedef struct { char legacy[16]; unsigned domain, bus, device, id, subsystem; char text[32]; } pci_t;
int nvmlDeviceGetPciInfo_v3(handle_t *h, pci_t *out) { IN_DEVICE(snprintf(out->text, sizeof out->text, "%s", g.bus);) }

int nvmlDeviceGetNvLinkState(handle_t *h, unsigned link, unsigned *up) {
	IN_DEVICE(if (!g.links) answer = NOT_SUPPORTED; else if (link >= 18) answer = 2; else *up = link < g.links;)
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(handle_t *h, unsigned link, pci_t *out) {
	(void)link;
	IN_DEVICE(
		script_t *s = script();
		snprintf(out->text, sizeof out->text, "%s", g.far < s->count ? s->gpus[g.far].bus : "FFFFFFFF:FF:FF.0");
		free(s);)
}

int nvmlDeviceGetCudaComputeCapability(handle_t *h, int *major, int *minor) { IN_DEVICE(*major = 8; *minor = 0;) }
int nvmlDeviceGetEnforcedPowerLimit(handle_t *h, unsigned *mw) { IN_DEVICE(*mw = g.limit;) }

int nvmlDeviceGetPowerUsage(handle_t *h, unsigned *mw) {
	IN_DEVICE(if (g.unsupported & U_POWER) answer = NOT_SUPPORTED; else *mw = g.power;)
}

int nvmlDeviceGetTotalEnergyConsumption(handle_t *h, unsigned long long *mj) {
	IN_DEVICE(if (g.unsupported & U_ENERGY) answer = NOT_SUPPORTED; else *mj = g.energy;)
}

int nvmlDeviceGetTemperature(handle_t *h, int sensor, unsigned *celsius) {
	(void)sensor;
	IN_DEVICE(if (g.unsupported & U_TEMPERATURE) answer = NOT_SUPPORTED; else *celsius = g.temperature;)
}

int nvmlDeviceGetClockInfo(handle_t *h, int kind, unsigned *mhz) { IN_DEVICE(*mhz = kind == 2 ? 1593 : g.clock;) }

int nvmlDeviceGetFanSpeed(handle_t *h, unsigned *percent) {
	IN_DEVICE(if (g.fan) *percent = g.fan; else answer = NOT_SUPPORTED;)
}

int nvmlDeviceGetCurrentClocksEventReasons(handle_t *h, unsigned long long *mask) { IN_DEVICE(*mask = 1;) }

typedef struct { unsigned gpu, memory; } rates_t;
int nvmlDeviceGetUtilizationRates(handle_t *h, rates_t *out) {
	IN_DEVICE(if (g.unsupported & U_UTIL) answer = NOT_SUPPORTED; else { out->gpu = g.util; out->memory = g.busy; })
}

/* The old call counts what the driver reserves as used, as the real one does. */
typedef struct { unsigned long long total, free, used; } memory_t;
int nvmlDeviceGetMemoryInfo(handle_t *h, memory_t *out) {
	IN_DEVICE(out->total = g.memory; out->used = g.used + g.reserved; out->free = g.memory - out->used;)
}

#ifndef WITHOUT_MEMORY_V2
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } memory2_t;
int nvmlDeviceGetMemoryInfo_v2(handle_t *h, memory2_t *out) {
	IN_DEVICE(if (g.unsupported & U_MEMORY_V2) answer = NOT_SUPPORTED;
		else { out->total = g.memory; out->reserved = g.reserved; out->used = g.used; out->free = g.memory - g.used - g.reserved; })
}
#endif

#ifndef WITHOUT_PROCESSES
/* pid 0: none runs. A negative pid is a driver that counts wrongly. */
typedef struct { unsigned pid; unsigned long long memory; unsigned instance, compute; } process_t;
int nvmlDeviceGetComputeRunningProcesses_v3(handle_t *h, unsigned *n, process_t *out) {
	IN_DEVICE(
		unsigned room = *n;
		*n = g.pid < 0 ? 1000 : g.pid > 0 ? 2 : 0;
		if (*n > room && g.pid > 0) answer = INSUFFICIENT_SIZE;
		else if (g.pid > 0) {
			out[0].pid = g.pid; out[0].memory = g.used;
			out[1].pid = 1; out[1].memory = ~0ULL;
		})
}
#endif

int nvmlDeviceGetSupportedEventTypes(handle_t *h, unsigned long long *mask) { IN_DEVICE(*mask = 8;) }

int nvmlEventSetCreate(set_t **out) { need_start(); *out = calloc(1, sizeof **out); return OK; }
int nvmlEventSetFree(set_t *set) { need_start(); free(set); return OK; }

int nvmlDeviceRegisterEvents(handle_t *h, unsigned long long types, set_t *set) {
	IN_DEVICE(
		if (types != 8) answer = 2;
		script_t *s = script(); /* what happened before is not told */
		for (int i = 0; i < s->xids; i++) if (s->xid[i] > set->seen) set->seen = s->xid[i];
		free(s);)
}

typedef struct { handle_t *device; unsigned long long type, data; unsigned instance, compute; } event_t;
int nvmlEventSetWait_v2(set_t *set, event_t *out, unsigned ms) {
	need_start();
	for (unsigned waited = 0;; waited += 5) {
		script_t *s = script();
		for (int i = 0; i < s->xids; i++) {
			if (s->xid[i] <= set->seen) continue;
			set->seen = s->xid[i];
			memset(out, 0, sizeof *out);
			out->type = 8;
			out->data = s->code[i];
			for (int j = 0; j < MAX; j++) if (!strcmp(handles[j].uuid, s->whose[i])) out->device = &handles[j];
			free(s);
			return OK;
		}
		free(s);
		if (waited >= ms) return TIMEOUT;
		nap(); nap();
	}
}
