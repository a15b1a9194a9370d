package views

import (
	"net/url"

	"github.com/meterhouse/meterhouse/web/lang"
)

func sampleTemplates(t lang.T) TemplatesPage {
	rows := []TemplateRow{
		{ID: "tp-1", Name: "bert", Owner: "operator", Shared: true, Image: "nvcr.io/nvidia/pytorch:24.10-py3", Command: "python train.py --epochs 3 --data /data/<corpus> --out /home/work/out --seed 1", Model: "A100-SXM4-80GB", GPUCount: 4, Kind: "spot",
			Env: []string{"EPOCHS"}, Secrets: []string{"HF_TOKEN", "KEY=WANDB"}, ChangedAt: at(9, 0, 0), CanRent: true, CanDelete: true},
		{ID: "tp-2", Name: "shell", Owner: "operator", Kind: "on_demand", ChangedAt: at(8, 0, 0), CanRent: true, CanDelete: true},
	}
	secrets := []SecretRow{{ID: "se-1", Name: "HF_TOKEN", By: "operator", ChangedAt: at(9, 0, 0), CanDelete: true}, {ID: "se-2", Name: "WANDB", By: "manager", Shared: true, ChangedAt: at(9, 0, 0)}}
	return TemplatesPage{Page: samplePage(t, "/templates"), Rows: rows, Secrets: secrets, Delete: &rows[0], CanEdit: true, CanShare: true,
		Form: Form{Values: url.Values{"name": {"not a name"}}, Errors: []FieldError{{"name", t.Error("secret_name_wrong", nil)}}}}
}
