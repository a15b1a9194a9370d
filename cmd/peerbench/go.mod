module github.com/meterhouse/meterhouse/cmd/peerbench

go 1.26.0

replace github.com/meterhouse/meterhouse => ../..

require (
	github.com/mattn/go-sqlite3 v1.14.53
	github.com/meterhouse/meterhouse v0.0.0-00010101000000-000000000000
	golang.org/x/sys v0.50.0
)

require (
	github.com/alexedwards/argon2id v1.0.0 // indirect
	github.com/kr/fs v0.1.0 // indirect
	github.com/pkg/sftp v1.13.12 // indirect
	golang.org/x/crypto v0.59.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)
