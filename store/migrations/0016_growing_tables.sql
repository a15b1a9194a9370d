-- What only grows is asked for its last part at each page and each look: who had which GPU since, what a person has not read.
CREATE INDEX instance_gpu_released ON instance_gpu (released_at);
CREATE INDEX instance_gpu_gpu ON instance_gpu (gpu_uuid, released_at);
CREATE INDEX instance_noticed ON instance (person_id, notice_at) WHERE notice_at IS NOT NULL;
CREATE INDEX notice_at ON notice (at);
CREATE INDEX budget_fire_at ON budget_fire (at);
CREATE INDEX budget_stop_told ON budget_stop (told_at);
CREATE INDEX outbox_given_up ON outbox (dead_at) WHERE dead_at IS NOT NULL;
CREATE INDEX reservation_gpu_ends ON reservation_gpu (to_at);
