package store

import (
	"context"
	"time"
)

// deviceSecretMin is the fewest letters that a browser's own secret may have.
const deviceSecretMin = 20

// KnowDevice notes that a person signs in with a browser, by the secret that it keeps for years, and tells them by mail if
// they never did before. Their first browser of all is no news. A secret that is too short is none.
func (s *Store) KnowDevice(ctx context.Context, personID, device, addr, agent string, byLink bool) error {
	if len(device) < deviceSecretMin {
		return nil
	}
	return s.write(ctx, func(t *tx) error {
		p, err := t.activePerson(personID)
		if err != nil {
			return err
		}
		return t.knowDevice(&p, device, addr, agent, byLink)
	})
}

func (t *tx) knowDevice(p *Person, device, addr, agent string, byLink bool) error {
	hash := secretHash(device)
	known, err := t.exec("UPDATE device SET seen_at = ? WHERE person_id = ? AND hash = ?", micros(t.now), p.ID, hash)
	if err != nil || known > 0 {
		return err
	}
	others, err := t.number("SELECT count(*) FROM device WHERE person_id = ?", p.ID)
	if err != nil {
		return err
	}
	if _, err := t.exec("INSERT INTO device (person_id, hash, first_at, seen_at) VALUES (?, ?, ?, ?)", p.ID, hash, micros(t.now), micros(t.now)); err != nil || others == 0 {
		return err
	}
	data := map[string]string{"addr": clipped(addr, 100), "agent": clipped(agent, agentMax), "at": t.now.Format(time.RFC3339)}
	if byLink {
		data["link"] = "1"
	}
	return t.mail(Mail{MessageID: "new-device." + shortHash(p.ID+device) + "@meterhouse", To: p.Email, Template: "new_device", Data: data})
}
