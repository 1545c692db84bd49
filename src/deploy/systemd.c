/*
 * Units of systemd: a folder for each host of the cluster file, to be copied onto its root. Addresses and the broker are
 * those of the file. On one host watchers restart units; on several they leave that to each host's own systemd.
 */
#include "deploy/deploy_private.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 256

/* packaging/ has the same; a test compares them. */
static const char users[] = "u tamiz - \"tamiz nodes\" " DEPLOY_STATE "\n";
static const char folders[] =
	"d /etc/tamiz 0750 root tamiz -\nd " DEPLOY_STATE " 0700 tamiz tamiz -\n";

static const char unit[] = "[Unit]\n"
			   "Description=tamiz %i\n"
			   "Documentation=file:///usr/share/doc/tamiz/deploying.md\n"
			   "Wants=network-online.target\n"
			   "After=network-online.target\n"
			   "PartOf=tamiz.target\n"
			   "\n"
			   "[Service]\n"
			   "Type=notify\n"
			   "ExecStart=/usr/bin/tamiz node %i --file /etc/tamiz/cluster.ini\n"
			   "EnvironmentFile=-/etc/tamiz/environment\n"
			   "User=tamiz\n"
			   "Group=tamiz\n"
			   "StateDirectory=tamiz\n"
			   "StateDirectoryMode=0700\n"
			   "Restart=always\n"
			   "RestartSec=1\n"
			   "WatchdogSec=60\n"
			   "TimeoutStopSec=30\n"
			   "LimitNOFILE=131072\n"
			   "LimitCORE=0\n"
			   "# Nothing but its state, its sockets and what it computes.\n"
			   "UMask=0077\n"
			   "CapabilityBoundingSet=\n"
			   "NoNewPrivileges=yes\n"
			   "ProtectSystem=strict\n"
			   "ProtectHome=yes\n"
			   "ProtectClock=yes\n"
			   "ProtectControlGroups=yes\n"
			   "ProtectHostname=yes\n"
			   "ProtectKernelLogs=yes\n"
			   "ProtectKernelModules=yes\n"
			   "ProtectKernelTunables=yes\n"
			   "ProtectProc=invisible\n"
			   "PrivateDevices=yes\n"
			   "PrivateTmp=yes\n"
			   "LockPersonality=yes\n"
			   "RemoveIPC=yes\n"
			   "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n"
			   "RestrictNamespaces=yes\n"
			   "RestrictRealtime=yes\n"
			   "RestrictSUIDSGID=yes\n"
			   "SystemCallArchitectures=native\n"
			   "SystemCallFilter=@system-service\n"
			   "SystemCallFilter=~@privileged @resources\n"
			   "SystemCallErrorNumber=EPERM\n"
			   "\n"
			   "[Install]\n"
			   "WantedBy=tamiz.target\n";

/* Watchers of one host ask systemd to restart units of that host. */
static const char rules[] =
	"polkit.addRule(function (action, subject) {\n"
	"\tif (action.id == \"org.freedesktop.systemd1.manage-units\" && subject.user == \"tamiz\" "
	"&&\n"
	"\t\t/^tamiz@[a-z]+(-[0-9]+)?\\.service$/.test(action.lookup(\"unit\")) &&\n"
	"\t\taction.lookup(\"verb\") == \"restart\")\n"
	"\t\treturn polkit.Result.YES;\n"
	"});\n";

static int put(const struct deploy *deploy, const char *host, const char *name, mode_t mode,
	struct buf *text, struct error *err)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", host, name);
	return deploy_put(deploy, path, mode, text, err);
}

static int put_text(const struct deploy *deploy, const char *host, const char *name,
	const char *text, struct error *err)
{
	struct buf copy;
	int status;

	buf_init(&copy, DEPLOY_FILE_MAX);
	buf_append_text(&copy, text);
	status = put(deploy, host, name, 0644, &copy, err);
	buf_release(&copy);
	return status;
}

/* The file as it is, but for who starts nodes again. */
static int put_cluster_file(
	const struct deploy *deploy, const char *host, bool alone, struct error *err)
{
	char *text = file_read(deploy->config->path, CONFIG_FILE_MAX, NULL), *at;
	char section[32] = "";
	struct buf out;
	int status;

	if (!text)
		return error_set(
			err, ERROR_IO, "cannot read %s: %s", deploy->config->path, strerror(errno));
	buf_init(&out, DEPLOY_FILE_MAX);
	for (char *rest = text; (at = strsep(&rest, "\n")) && (rest || *at);) {
		const char *key = at + strspn(at, " \t");
		size_t size = strcspn(key, " \t=:");

		if (*key == '[')
			snprintf(section, sizeof(section), "%.*s", (int)strcspn(key + 1, "]"),
				key + 1);
		if ((strcmp(section, "watcher") == 0 && size == 6 && !memcmp(key, "driver", 6)) ||
			(strcmp(section, "cluster") == 0 && size == 5 && !memcmp(key, "state", 5)))
			continue;
		buf_printf(&out, "%s\n", at);
	}
	free(text);
	buf_printf(&out, "\n[cluster]\nstate = " DEPLOY_STATE "\n[watcher]\ndriver = %s\n",
		alone ? "systemd" : "none");
	/* It may have secrets. */
	status = put(deploy, host, "etc/tamiz/cluster.ini", 0640, &out, err);
	buf_release(&out);
	return status;
}

static int put_host(const struct deploy *deploy, const char *host, bool alone, struct error *err)
{
	struct buf target, commands;
	int status;

	buf_init(&target, DEPLOY_FILE_MAX);
	buf_init(&commands, DEPLOY_FILE_MAX);
	buf_append_text(&target, "[Unit]\nDescription=The nodes of tamiz on this host\n");
	buf_printf(&commands,
		"#!/bin/sh\n"
		"# As root on %s, with the package installed, in a copy of this folder.\n"
		"set -eu\n"
		"cd \"$(dirname \"$0\")\"\n"
		"cp -R etc/. /etc/\n"
		"systemd-sysusers tamiz.conf\n"
		"systemd-tmpfiles --create tamiz.conf\n"
		"chown -R root:tamiz /etc/tamiz\n"
		"chmod 750 /etc/tamiz\n"
		"chmod 640 /etc/tamiz/*\n"
		"systemctl daemon-reload\n"
		"systemctl enable --now tamiz.target",
		host);
	for (uint32_t i = 0; i < deploy->node_count; i++) {
		if (strcmp(deploy->nodes[i].health.host, host) != 0)
			continue;
		buf_printf(&target, "Wants=tamiz@%s.service\n", deploy->nodes[i].name);
		buf_printf(&commands, " tamiz@%s.service", deploy->nodes[i].name);
	}
	buf_append_text(&target, "\n[Install]\nWantedBy=multi-user.target\n");
	buf_append_text(&commands, "\n");
	status = put(deploy, host, "etc/systemd/system/tamiz.target", 0644, &target, err);
	if (!status)
		status = put(deploy, host, "install.sh", 0755, &commands, err);
	if (!status)
		status = put_text(deploy, host, "etc/systemd/system/tamiz@.service", unit, err);
	if (!status)
		status = put_text(deploy, host, "etc/sysusers.d/tamiz.conf", users, err);
	if (!status)
		status = put_text(deploy, host, "etc/tmpfiles.d/tamiz.conf", folders, err);
	if (!status && alone)
		status = put_text(deploy, host, "etc/polkit-1/rules.d/60-tamiz.rules", rules, err);
	if (!status)
		status = put_cluster_file(deploy, host, alone, err);
	buf_release(&commands);
	buf_release(&target);
	return status;
}

static bool is_first_of_host(const struct deploy *deploy, uint32_t node)
{
	for (uint32_t i = 0; i < node; i++)
		if (strcmp(deploy->nodes[i].health.host, deploy->nodes[node].health.host) == 0)
			return false;
	return true;
}

int deploy_systemd(const struct deploy *deploy, struct error *err)
{
	uint32_t hosts = 0;
	int status = 0;

	for (uint32_t i = 0; i < deploy->node_count; i++)
		hosts += is_first_of_host(deploy, i);
	for (uint32_t i = 0; i < deploy->node_count && !status; i++)
		if (is_first_of_host(deploy, i))
			status = put_host(deploy, deploy->nodes[i].health.host, hosts == 1, err);
	return status;
}
