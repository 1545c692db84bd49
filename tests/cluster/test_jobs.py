"""Jobs on a real cluster: the embedded engine's bytes and statuses, and clients that die."""

import random
import signal

from cluster import PACKS, check, embedded, equal, generate, read_tables, run_tests, wait_for, wait_for_chunks

SLOW_CHUNK = "2K"


def test_packs(cluster, folder):
    for pack, size in PACKS.items():
        data = generate(pack, folder / pack, size)
        want = embedded("run", pack, "--data", data, "-f", "csv").stdout
        for chunk_size in ["4M", "300K", "20K"]:
            got = cluster.answer(pack, "--data", data, "-f", "csv", "--chunk-size", chunk_size)
            check(got == want, f"{pack} at {chunk_size}: {got[:300]!r} and not {want[:300]!r}")
        for form in ["table", "json", "md"]:
            equal(
                cluster.answer(pack, "--data", data, "-f", form),
                embedded("run", pack, "--data", data, "-f", form).stdout,
            )


def test_output_folder_and_one_query(cluster, folder):
    data = generate("coffee", folder / "coffee", "2M")
    cluster.answer("coffee", "--data", data, "--query", "q3", "--output", folder / "out")
    embedded("run", "coffee", "--data", data, "--query", "q3", "--output", folder / "want")
    equal([path.name for path in (folder / "out").iterdir()], ["q3.csv"])
    equal((folder / "out" / "q3.csv").read_bytes(), (folder / "want" / "q3.csv").read_bytes())


def test_sql(cluster, folder):
    (folder / "data").mkdir()
    (folder / "data" / "t.csv").write_text('\ufeffid,"a ""name""",n\n1,x,2.50\n2,"y\nz",\n3,w,bad\n')
    (folder / "data" / "u.csv").write_text("id,v\n1,a\n")
    (folder / "data" / "empty.csv").write_text("")
    (folder / "q.sql").write_text("SELECT count(*) FROM t;")
    queries = [
        "SELECT * FROM t ORDER BY id",
        'SELECT "a ""name""", n FROM t ORDER BY id',
        "SELECT sum(n) AS total FROM t",
        "SELECT 1 + 1 AS two",
        "SELECT count(*) FROM t WHERE id > 7",
        "SELECT t.id FROM t WHERE false",
        # The plan needs no u, and the text of the query does.
        "SELECT t.id FROM t LEFT JOIN (SELECT DISTINCT id FROM u) s ON s.id = t.id ORDER BY t.id",
    ]
    for query in queries:
        got = cluster.submit("--sql", query, "--data", folder / "data")
        want = embedded("sql", "-c", query, "--data", folder / "data")
        equal((got.returncode, got.stdout), (want.returncode, want.stdout), query + got.stderr)
    got = cluster.answer(folder / "q.sql", "--data", folder / "data", "-f", "csv")
    equal(got, "count\n3\n")


def test_clock_and_chance(cluster, folder):
    """Every node, and a job that is submitted again, has the start of the first."""
    (folder / "t.csv").write_text("id\n" + "".join(f"{i}\n" for i in range(5000)))
    query = ("SELECT id, random() AS r, now() AS n, current_date AS d FROM t WHERE random() < 0.3 "
             "ORDER BY random() LIMIT 50")
    args = ["--data", folder, "--now", "2024-02-29 23:59:59.5+01", "--seed", "11", "-f", "csv"]
    want = embedded("sql", "-c", query, *args).stdout
    for size in ("2K", "1M"):
        equal(cluster.answer("--sql", query, *args, "--chunk-size", size), want)
    got = cluster.answer("--sql", "SELECT count(DISTINCT n) FROM (SELECT now() AS n, id FROM t) t WHERE n <= now()",
                         "--data", folder, "-f", "csv")
    equal(got, "count\n1\n")


def test_large_results(cluster, folder):
    """A batch of rows that is longer than a packet may be, and a result longer than a connection's queue."""
    rng = random.Random(1)
    with open(folder / "t.csv", "w") as file:
        file.write("id,text\n")
        file.writelines(f"{i},{rng.randbytes(10000).hex()}\n" for i in range(1800))
    query = "SELECT id, text, text || 'a' AS a, text || 'b' AS b, text || 'c' AS c FROM t ORDER BY id"
    got = cluster.answer("--sql", query, "--data", folder, "-f", "csv", "--chunk-size", "500K")
    want = embedded("sql", "-c", query, "--data", folder, "-f", "csv").stdout
    check(got == want, f"{len(got)} bytes and not {len(want)}")


def test_rejects_are_counted(cluster, folder):
    (folder / "t.csv").write_text("id,n\n" + "".join(f"{i},{'x' if i % 10 == 0 else i}\n" for i in range(1, 5001)))
    (folder / "schema.sql").write_text("CREATE TABLE t (id int, n int) WITH (files = 't.csv');")
    args = ["--data", folder, "--schema", folder / "schema.sql"]
    got = cluster.submit("--sql", "SELECT sum(n) FROM t", *args, "--chunk-size", "1K")
    want = embedded("sql", "-c", "SELECT sum(n) FROM t", *args)
    equal(got.stdout, want.stdout)
    line = "t: 5,000 rows read = 4,500 used + 500 rejected"
    check(line in got.stderr and line in want.stderr, got.stderr)
    with open(folder / "t.csv", "a") as file:
        file.write("5001,x\n")
    for limit, status in ((["--max-rejects", "501"], 0), ([], 5)):
        got = cluster.submit("--sql", "SELECT sum(n) FROM t", *args, *limit)
        want = embedded("sql", "-c", "SELECT sum(n) FROM t", *args, *limit)
        equal((got.returncode, got.stdout), (want.returncode, want.stdout), got.stderr)
        equal(got.returncode, status, got.stderr)
    check("501 of 5001 rows could not be read" in got.stderr, got.stderr)


def test_errors(cluster, folder):
    (folder / "t.csv").write_text("id,n\n1,2\n2,0\n")
    (folder / "u").mkdir()
    (folder / "u" / "a.csv").write_text("id,n\n1,2\n")
    (folder / "u" / "b.csv").write_text("id,m\n1,2\n")
    (folder / "schema.sql").write_text("CREATE TABLE u (id int, n int) WITH (files = 'u/*.csv');")
    (folder / "nowhere.sql").write_text("CREATE TABLE u (id int, n int) WITH (files = 'nowhere/*.csv');")
    cases = [
        (4, ["SELECT 1 / n FROM t"]),
        (4, ["SELECT sum(1 / n) FROM t"]),
        (3, ["SELECT nothing FROM t"]),
        (3, ["SELEC"]),
        (5, ["SELECT sum(n) FROM u", "--schema", folder / "schema.sql"]),
        (1, ["SELECT sum(n) FROM u", "--schema", folder / "nowhere.sql"]),
    ]
    for status, (query, *more) in cases:
        got = cluster.submit("--sql", query, "--data", folder, *more)
        want = embedded("sql", "-c", query, "--data", folder, *more)
        equal((got.returncode, got.stdout), (status, ""), f"{query}: {got.stderr}")
        equal(want.returncode, status, query)
        equal(got.stderr.splitlines()[0], want.stderr.splitlines()[0])
    got = cluster.submit("nopack", "--data", folder)
    equal(got.returncode, 2, got.stderr)
    got = cluster.submit("coffee", "--data", folder)
    equal(got.returncode, 1, got.stderr)
    got = cluster.tamiz("submit", "--sql", "SELECT 1", "--data", folder, "--server", "nowhere")
    equal(got.returncode, 2, got.stderr)


def test_compressed_files(cluster, folder):
    import gzip

    data = generate("coffee", folder / "coffee", "2M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    for path in list((data / "transactions").iterdir()):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 1))
        path.unlink()
    equal(cluster.answer("coffee", "--data", data, "-f", "csv", "--chunk-size", "50K"), want)


def killed_and_resumed(cluster, folder, when):
    """A submit that is killed after `when` has waited, and one that goes on; its state file is gone then. The second
    one spells the folder in another way."""
    data = generate("coffee", folder / "coffee", "4M")
    want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
    state = folder / "job.state"
    args = ["coffee", "-f", "csv", "--chunk-size", SLOW_CHUNK, "--state", state, "--data"]
    with cluster.endless():
        process = cluster.submit_start(*args, data)
        when(state, process)
        process.send_signal(signal.SIGKILL)
        status, _, err = cluster.finish(process)
    equal(status, -signal.SIGKILL, err)
    job = state.read_text().splitlines()[1].split()[1]
    done = cluster.submit(*args, f"{folder}/../{folder.name}/.//coffee/")
    equal(done.returncode, 0, done.stderr)
    check(f"going on with the job {job}" in done.stderr, done.stderr)
    check(done.stdout == want, f"{done.stdout[:300]!r}")
    check(not state.exists(), "the state file is still there")


def test_killed_while_sending(cluster, folder):
    # At the first chunk, and at later ones.
    for count in (1, 100, 500):

        def when(state, process, count=count):
            wait_for(f"{count} chunks of one table", lambda: most_chunks(state) >= count)

        killed_and_resumed(cluster, folder / str(count), when)


def test_killed_while_waiting(cluster, folder):
    def when(state, process):
        wait_for_chunks(state, process)
        wait_for("the end of its sending", lambda: all_closed(state))
        equal(process.poll(), None)

    killed_and_resumed(cluster, folder, when)


def all_closed(state):
    tables = read_tables(state)
    return tables and all(closed == "1" for _, _, closed, *_ in tables)


def most_chunks(state):
    """How many of a table's chunks are acknowledged, of the table with most of them."""
    counts = [0]
    for table in read_tables(state):
        ranges = [part.split("-") for part in table[6].split(",") if part != "-"]
        counts.append(sum(int(last) - int(first) + 1 for first, last in ranges))
    return max(counts)


def test_interrupted(cluster, folder):
    data = generate("coffee", folder / "coffee", "4M")
    state = folder / "job.state"
    args = ["coffee", "--data", data, "-f", "csv", "--chunk-size", SLOW_CHUNK, "--state", state]
    with cluster.endless():
        process = cluster.submit_start(*args)
        wait_for_chunks(state, process)
        second = cluster.submit(*args)
        equal(second.returncode, 2, second.stderr)
        check("busy with this job" in second.stderr, second.stderr)
        process.send_signal(signal.SIGINT)
        status, out, err = cluster.finish(process)
    equal((status, out), (130, ""), err)
    check("goes on when the same command is run again" in err, err)
    equal(cluster.answer(*args), embedded("run", "coffee", "--data", data, "-f", "csv").stdout)


def test_changed_input(cluster, folder):
    data = generate("coffee", folder / "coffee", "4M")
    state = folder / "job.state"
    args = ["coffee", "--data", data, "-f", "csv", "--state", state]
    with cluster.endless():
        process = cluster.submit_start(*args, "--chunk-size", SLOW_CHUNK)
        wait_for_chunks(state, process)
        process.kill()
        cluster.finish(process)
    changed = sorted((data / "transactions").iterdir())[3]
    changed.write_bytes(changed.read_bytes() + changed.read_bytes().splitlines()[-1] + b"\n")
    done = cluster.submit(*args)
    equal((done.returncode, done.stdout), (5, ""), done.stderr)
    check(str(changed) in done.stderr and "--restart" in done.stderr, done.stderr)
    done = cluster.submit(*args, "--restart")
    equal(done.returncode, 0, done.stderr)
    equal(done.stdout, embedded("run", "coffee", "--data", data, "-f", "csv").stdout)


def test_input_that_changes_meanwhile(cluster, folder):
    """Somebody writes to the files while a client reads them: no answer is made of both contents."""
    for i in range(20):
        data = generate("coffee", folder / str(i), "3M")
        want = embedded("run", "coffee", "--data", data, "-f", "csv").stdout
        client = cluster.submit_begun(
            folder / f"{i}.state", want, "coffee", "--data", data, "-f", "csv", "--chunk-size", SLOW_CHUNK
        )
        with cluster.standing_still([client.pid]):
            for path in data.rglob("*.csv"):
                last = path.read_bytes().splitlines(True)[-1]
                with path.open("ab") as file:
                    file.write(last)
        status, out, err = cluster.finish(client)
        if status != 0:
            check("changed while it was read" in err, err)
            equal(out, "")
            return
        equal(out, want)  # it had read everything before
    raise AssertionError("clients read too fast for us")


def test_damaged_state(cluster, folder):
    (folder / "t.csv").write_text("id\n1\n")
    state = folder / "job.state"
    state.write_text("tamiz-job 3\njob 0000000000000001 opened 1\ncrc32c 00000000\n")
    args = ["--sql", "SELECT id FROM t", "--data", folder, "-f", "csv", "--state", state]
    done = cluster.submit(*args)
    equal(done.returncode, 5, done.stderr)
    check("damaged" in done.stderr and "--restart" in done.stderr, done.stderr)
    equal(cluster.answer(*args, "--restart"), "id\n1\n")


def test_results_jobs_cancel_status(cluster, folder):
    data = generate("coffee", folder / "coffee", "1M")
    done = cluster.submit("coffee", "--data", data, "--no-wait", "-q")
    equal((done.returncode, done.stdout), (0, ""), done.stderr)
    job = done.stderr.split()[2]
    for form in ["csv", "table", "json", "md"]:
        got = cluster.tamiz("results", job, "--server", cluster.server, "-f", form)
        equal(got.returncode, 0, got.stderr)
        equal(got.stdout, embedded("run", "coffee", "--data", data, "-f", form).stdout)
    listed = cluster.tamiz("jobs", "--server", cluster.server)
    check(f"{job}  done" in listed.stdout, listed.stdout)
    status = cluster.status()
    equal({node["name"] for node in status["nodes"]} >= {"collector", "reducer 0", "reducer 1"}, True)
    check(any(one["id"] == job and one["state"] == "done" for one in status["jobs"]), status)
    plain = cluster.tamiz("status", "--server", cluster.server)
    check("reducer-1" in plain.stdout and job in plain.stdout, plain.stdout)
    equal(cluster.tamiz("cancel", job, "--server", cluster.server).returncode, 0)
    gone = cluster.tamiz("results", job, "--server", cluster.server)
    equal((gone.returncode, gone.stdout), (2, ""), gone.stderr)
    never = cluster.tamiz("results", "00000000000000aa", "--server", cluster.server)
    equal((never.returncode, never.stdout), (2, ""), never.stderr)
    wrong = cluster.tamiz("results", "xyz", "--server", cluster.server)
    equal(wrong.returncode, 2, wrong.stderr)


def test_jobs_are_logged(cluster, folder):
    """When a job opens, is done and goes, the collector's log says so; a first start is no warning."""
    (folder / "t.csv").write_text("a\n1\n2\n")
    sent = cluster.submit("--sql", "SELECT count(*) FROM t", "--data", folder, "--no-wait")
    equal(sent.returncode, 0, sent.stderr)
    job = sent.stderr.split()[2]
    equal(cluster.tamiz("results", job, "--server", cluster.server, "-f", "csv").stdout, "count\n2\n")
    equal(cluster.tamiz("cancel", job, "--server", cluster.server).returncode, 0)

    def lines():
        text = (cluster.state / "log" / "collector.log").read_text()
        return [line.split(" ", 1)[1] for line in text.splitlines() if f"job={job}" in line]

    wait_for("the end of the job in the log", lambda: any("JOB_GONE" in line for line in lines()))
    want = [f"JOB_OPENED job={job} queries=1 tables=1", f"JOB_DONE job={job}", f"JOB_GONE job={job}"]
    equal(lines(), [f"INFO collector {line}" for line in want])
    starts = [
        line.split()[1]
        for log in (cluster.state / "log").glob("watcher-*.log")
        for line in log.read_text().splitlines()
        if " FIRST_START " in line
    ]
    check(starts and set(starts) == {"INFO"}, f"the first starts are {starts}")


def test_sql_results_by_job(cluster, folder):
    (folder / "t.csv").write_text("id,price\n1,2.50\n2,3.25\n")
    query = "SELECT id, price * 2 AS double, 'é' AS e FROM t ORDER BY id"
    done = cluster.submit("--sql", query, "--data", folder, "--no-wait")
    job = done.stderr.split()[2]
    got = cluster.tamiz("results", job, "--server", cluster.server)
    equal(got.stdout, embedded("sql", "-c", query, "--data", folder).stdout, got.stderr)


def test_folder_in_use(cluster, folder):
    done = cluster.tamiz("up", "--detach", "--state", cluster.state)
    equal(done.returncode, 2, done.stderr)
    check("a cluster is already running in" in done.stderr and "tamiz down" in done.stderr, done.stderr)


def test_nothing_is_left(cluster, folder):
    cluster.wait_clean()


def test_down_and_up_again(cluster, folder):
    data = generate("coffee", folder / "coffee", "1M")
    done = cluster.submit("coffee", "--data", data, "--no-wait", "-q")
    job = done.stderr.split()[2]
    check(cluster.processes(), "nothing runs")
    equal(cluster.down().returncode, 0)
    cluster.wait_for(lambda: not cluster.processes(), "the end of all")
    equal(cluster.down().returncode, 2)
    cluster.up()
    got = cluster.tamiz("results", job, "--server", cluster.server, "-f", "csv")
    equal(got.stdout, embedded("run", "coffee", "--data", data, "-f", "csv").stdout, got.stderr)


run_tests(globals())
