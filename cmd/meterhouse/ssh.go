package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// sshAccess is the API's answer to how an instance is entered by SSH.
type sshAccess struct {
	User        string `json:"user"`
	Host        string `json:"host"`
	Port        int    `json:"port"`
	HostKey     string `json:"host_key"`
	Fingerprint string `json:"fingerprint"`
	Command     string `json:"command"`
}

// sshCommand becomes the machine's OpenSSH client, which knows the console's host key from the API and asks nobody about it.
func sshCommand(ctx context.Context, c *call) error {
	f := c.flags()
	flags := f.client()
	args, tail, err := f.parse()
	switch {
	case err != nil:
		return err
	case len(args) != 1:
		return misuse("one instance is needed")
	}
	api, err := flags.client()
	if err != nil {
		return err
	}
	var to sshAccess
	if err := api.get(ctx, "/instances/"+url.PathEscape(args[0])+"/ssh", nil, &to); err != nil {
		return err
	}
	if *flags.json {
		return c.printJSON(to)
	}
	program, err := exec.LookPath("ssh")
	if err != nil {
		return errors.New("there is no OpenSSH client on this machine: install openssh-client, or use `meterhouse exec`")
	}
	known, err := rememberHost(to)
	if err != nil {
		return fmt.Errorf("noting the console's host key: %w", err)
	}
	argv := []string{"ssh", "-o", "UserKnownHostsFile=\"" + strings.ReplaceAll(known, "%", "%%") + "\"", "-o", "GlobalKnownHostsFile=none", "-o", "StrictHostKeyChecking=yes",
		"-o", "HostKeyAlias=" + hostAlias, "-o", "HostKeyAlgorithms=ssh-ed25519", "-o", "ForwardAgent=no", "-o", "ForwardX11=no",
		"-p", strconv.Itoa(to.Port), "-l", to.User, "--", to.Host}
	return syscall.Exec(program, append(argv, tail...), os.Environ())
}

// hostAlias is the name of every console in the files that rememberHost writes, one for each key.
const hostAlias = "meterhouse"

// rememberHost writes the host key where nothing but this verb looks, and returns the file.
func rememberHost(to sshAccess) (file string, err error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "meterhouse")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	file = filepath.Join(dir, "known_host_"+strings.NewReplacer("/", "_", ":", "_").Replace(to.Fingerprint))
	return file, os.WriteFile(file, []byte(hostAlias+" "+to.HostKey+"\n"), 0o600)
}
