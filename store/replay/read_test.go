package replay

import (
	"strings"
	"testing"
	"time"
)

const head = "name,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time,scheduled_time\n"

func TestAWorkloadIsReadInWhateverDressItComes(t *testing.T) {
	for name, text := range map[string]string{
		"plain":           head + "a,1,460,,LS,10,70.5,20\n",
		"byte-order mark": "\ufeff" + head + "a,1,460,,LS,10,70.5,20\n",
		"CRLF":            strings.ReplaceAll(head+"a,1,460,,LS,10,70.5,20\n", "\n", "\r\n"),
		"quoted":          head + "\"a\",\"1\",460,,\"LS\",10,70.5,20",
	} {
		all, err := Read(strings.NewReader(text))
		want := Task{Name: "a", Kind: OnDemand, GPUs: 1, Milli: 460, Asked: 10 * time.Second, Length: 50500 * time.Millisecond}
		if err != nil || len(all) != 1 || all[0] != want {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	all, err := Read(strings.NewReader(head + "a,8,1000,V100|P100,Burstable,10,70,\n"))
	if err != nil || all[0].Length != time.Minute || all[0].Kind != Spot || all[0].Spec != "V100|P100" {
		t.Errorf("never scheduled: %+v, %v", all, err)
	}
}

func TestAnErrorNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "it is empty",
		head:                                     "line 2: there are no tasks",
		"name,num_gpu\na,1\n":                    `line 1: there is no column "gpu_milli"`,
		head + "a,1,460,,LS,10,70,20\nb,1\n":     "line 3: wrong number of fields",
		head + "a,1,460,,LS,-10,70,20\n":         `line 2: creation_time "-10"`,
		head + "a,-1,460,,LS,10,70,20\n":         `line 2: num_gpu "-1"`,
		head + "a,1,1001,,LS,10,70,20\n":         `line 2: gpu_milli "1001"`,
		head + "a,1,460,,LS,10,99999999999,20\n": `line 2: deletion_time "99999999999"`,
		head + "a,1,460,,LS,10,1e9,20\n":         `line 2: deletion_time "1e9"`,
		head + "a,1,460,,gold,10,70,20\n":        `line 2: qos "gold"`,
		head + "a\x00,1,460,,LS,10,70,20\n":      "line 2: name has characters",
		head + "a,1,460,,LS,10,,20\n":            `line 2: deletion_time ""`,
		head + "a,\"1,460\n":                     "line 2: ",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(head + "a,1,460,,LS,10,70,20\n")
	f.Add("\ufeff" + head + "\"a\",8,1000,V100,BE,0,1.000001,\r\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Read(strings.NewReader(text))
		if err == nil && len(all) == 0 {
			t.Fatal("neither tasks nor an error")
		}
		for _, k := range all {
			if k.Length < 0 || k.Asked < 0 || k.Milli < 0 || k.Milli > 1000 || k.GPUs < 0 || k.Kind != OnDemand && k.Kind != Spot {
				t.Fatalf("%+v", k)
			}
		}
	})
}
