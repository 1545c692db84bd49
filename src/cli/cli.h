/*
 * What the subcommands share: their entry points, the way they fail and the way they print.
 *
 * Results go to stdout and everything else to stderr. A command returns the exit status of the
 * process; docs/cli.md lists them.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/buf.h"
#include "base/options.h"

#define TAMIZ_VERSION "0.1.0"

/* What a shell reports for a process that SIGPIPE ended. */
#define EXIT_PIPE_CLOSED 141

/* argv[0 .. argc) are the words behind the subcommand's name. */
int cmd_run(int argc, char *const *argv);
int cmd_sql(int argc, char *const *argv);
int cmd_shell(int argc, char *const *argv);
int cmd_tables(int argc, char *const *argv);
int cmd_describe(int argc, char *const *argv);
int cmd_summarize(int argc, char *const *argv);
int cmd_ui(int argc, char *const *argv);
int cmd_console(int argc, char *const *argv);
int cmd_explain(int argc, char *const *argv);
int cmd_gen(int argc, char *const *argv);
int cmd_packs(int argc, char *const *argv);
int cmd_sniff(int argc, char *const *argv);
int cmd_submit(int argc, char *const *argv);
int cmd_results(int argc, char *const *argv);
int cmd_jobs(int argc, char *const *argv);
int cmd_trace(int argc, char *const *argv);
int cmd_top(int argc, char *const *argv);
int cmd_cancel(int argc, char *const *argv);
int cmd_status(int argc, char *const *argv);
int cmd_up(int argc, char *const *argv);
int cmd_drain(int argc, char *const *argv);
int cmd_down(int argc, char *const *argv);
int cmd_check(int argc, char *const *argv);
int cmd_deploy(int argc, char *const *argv);
int cmd_user(int argc, char *const *argv);
int cmd_gateway(int argc, char *const *argv);
int cmd_reducer(int argc, char *const *argv);
int cmd_collector(int argc, char *const *argv);
int cmd_filter(int argc, char *const *argv);
int cmd_proxy(int argc, char *const *argv);
int cmd_watcher(int argc, char *const *argv);
int cmd_chaos(int argc, char *const *argv);
int cmd_node(int argc, char *const *argv);
int cmd_completion(int argc, char *const *argv);
int cmd_man(int argc, char *const *argv);

extern const struct command_spec cmd_run_spec;
extern const struct command_spec cmd_sql_spec;
extern const struct command_spec cmd_shell_spec;
extern const struct command_spec cmd_tables_spec;
extern const struct command_spec cmd_describe_spec;
extern const struct command_spec cmd_summarize_spec;
extern const struct command_spec cmd_ui_spec;
extern const struct command_spec cmd_console_spec;
extern const struct command_spec cmd_explain_spec;
extern const struct command_spec cmd_gen_spec;
extern const struct command_spec cmd_packs_spec;
extern const struct command_spec cmd_sniff_spec;
extern const struct command_spec cmd_submit_spec;
extern const struct command_spec cmd_results_spec;
extern const struct command_spec cmd_jobs_spec;
extern const struct command_spec cmd_trace_spec;
extern const struct command_spec cmd_top_spec;
extern const struct command_spec cmd_cancel_spec;
extern const struct command_spec cmd_status_spec;
extern const struct command_spec cmd_up_spec;
extern const struct command_spec cmd_down_spec;
extern const struct command_spec cmd_drain_spec;
extern const struct command_spec cmd_check_spec;
extern const struct command_spec cmd_deploy_spec;
extern const struct command_spec cmd_user_spec;
extern const struct command_spec cmd_gateway_spec;
extern const struct command_spec cmd_reducer_spec;
extern const struct command_spec cmd_collector_spec;
extern const struct command_spec cmd_filter_spec;
extern const struct command_spec cmd_proxy_spec;
extern const struct command_spec cmd_watcher_spec;
extern const struct command_spec cmd_chaos_spec;
extern const struct command_spec cmd_node_spec;
extern const struct command_spec cmd_completion_spec;
extern const struct command_spec cmd_man_spec;

/*
 * Reads the options of a command into `values`. False when the command has nothing more to do: help
 * or an error was printed and *status is the exit status.
 */
MUST_CHECK bool cli_parse(const struct command_spec *spec, int argc, char *const *argv,
	void *values, struct operands *operands, int *status);

/* Prints the error as one line on stderr; returns the exit status that goes with it. */
int cli_fail(const struct error *err);
/* Whether what goes there is for a terminal that shows colours, and nobody has said NO_COLOR. */
bool cli_has_colours(int fd);
/*
 * The same; on a terminal also the line of the statement that it is about, with a mark below its place.
 * `text` begins behind so many lines and columns of a larger one.
 */
int cli_fail_at(const struct error *err, const char *text, uint32_t lines, uint32_t columns);
/* Prints the help of a command on stdout; returns the exit status. */
int cli_help(const struct command_spec *spec);
/* Writes a text to stdout and releases it; returns the exit status. */
int cli_print(struct buf *text);

#endif
