package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/meterhouse/meterhouse/store"
	"github.com/meterhouse/meterhouse/store/replay"
	"github.com/meterhouse/meterhouse/store/storetest"
)

const workload = `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
a,1000,1024,1,1000,,LS,Succeeded,0,3600,0
b,1000,1024,2,1000,,BE,Succeeded,100,7300,100
`

func TestAReplayIsAJobWhoseMoneyIsItsLedgers(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	good := store.ReplayOptions{Name: "week.csv", Model: "A100-SXM4-80GB", GPUs: 4, PerNode: 4, MicrosPerHour: 2_500_000}
	start := func() {
		t.Helper()
		if err := s.StartReplay(ctx, seed.Admin.ID, good, []byte(workload)); err != nil {
			t.Fatal(err)
		}
	}
	start()
	kind(t, s.StartReplay(ctx, seed.Admin.ID, good, []byte(workload)), store.Conflict, "")
	if n, err := s.RunJobs(ctx); err != nil || n != 1 {
		t.Fatalf("%d %v", n, err)
	}
	jobs, err := s.Jobs(ctx, store.JobReplay, 5)
	if err != nil || len(jobs) != 1 || jobs[0].State != "done" {
		t.Fatalf("%+v %v", jobs, err)
	}
	var r store.ReplayReport
	if err := json.Unmarshal(jobs[0].Result, &r); err != nil || r.Result.Asked != 2 || r.Result.Served != 2 || r.LedgerMicros != 0 || r.RevenueMicros[replay.OnDemand] != 2_500_000 || r.RevenueMicros[replay.Spot] == 0 || r.Name != good.Name {
		t.Errorf("%+v %v", r, err)
	}
	start()
	if err := s.CancelJob(ctx, seed.Admin.ID, store.JobReplay); err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*store.ReplayOptions, *string){
		"gpus":     func(o *store.ReplayOptions, _ *string) { o.GPUs = 0 },
		"per_node": func(o *store.ReplayOptions, _ *string) { o.PerNode = 65 },
		"price":    func(o *store.ReplayOptions, _ *string) { o.MicrosPerHour = -1 },
		"model":    func(o *store.ReplayOptions, _ *string) { o.Model = "" },
		"file": func(_ *store.ReplayOptions, file *string) {
			*file = strings.Replace(*file, "0,3600,0", "0,never,0", 1)
		},
	} {
		o, file := good, workload
		change(&o, &file)
		kind(t, s.StartReplay(ctx, seed.Admin.ID, o, []byte(file)), store.Invalid, field)
	}
	if err := s.StartReplay(ctx, seed.Member.ID, good, []byte(workload)); store.KindOf(err) != store.Forbidden {
		t.Errorf("by a member: %v", err)
	}
}

func TestAReplayThatIsGivenUpEndsSoonHoweverLongAStepOfItTakes(t *testing.T) {
	s, _ := storetest.Open(t)
	seed := storetest.SeedQuick(t, s)
	head, _, _ := strings.Cut(workload, "\n")
	var file strings.Builder
	file.WriteString(head + "\n")
	for k := range 20_000 { // one a second, and none ends before all have come: the queue is planned anew for each
		fmt.Fprintf(&file, "t%d,1000,1024,1,1000,,LS,Succeeded,%d,%d,%d\n", k, k, 200_000+k, k)
	}
	if err := s.StartReplay(ctx, seed.Admin.ID, store.ReplayOptions{Name: "long.csv", Model: "A100", GPUs: 64, PerNode: 8, MicrosPerHour: 1}, []byte(file.String())); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := s.RunJobs(ctx)
		ended <- err
	}()
	for state := ""; state != "running"; time.Sleep(5 * time.Millisecond) {
		jobs, err := s.Jobs(ctx, store.JobReplay, 1)
		if err != nil {
			t.Fatal(err)
		}
		state = jobs[0].State
	}
	if err := s.CancelJob(ctx, seed.Admin.ID, store.JobReplay); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it works on")
	}
}
