"""Rounds that do not depend on each other, played on several clusters at a time: most of a round is waiting."""

import argparse
import multiprocessing
import os
import signal

forked = multiprocessing.get_context("fork")


def arguments(usage, **numbers):
    """The command line: numbers in their order, each with what it is unless told otherwise, and --jobs."""
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in numbers.items():
        parser.add_argument(name, type=int, nargs="?", default=usual)
    parser.add_argument("--jobs", type=int, default=1, help="clusters at a time")
    return parser.parse_args()


def take_numbers(taken, end, player):
    """Those that nobody else has taken."""
    while os.getppid() == player:
        with taken:
            number = taken.value
            taken.value += 1
        if number >= end:
            return
        yield number


def be_player(play, taken, end, parent, pipe):
    # An interrupt goes to all of us at once: our parent gets it, and tells us to end.
    signal.signal(signal.SIGINT, lambda *_: None)
    pipe.send(play(take_numbers(taken, end, parent)))


def play_rounds(play, rounds, jobs):
    """What `play(numbers)` gives in each of `jobs` processes, which have forked from this one; every number below
    `rounds` goes to one of them. None for a process that broke."""
    taken = forked.Value("i", 0)
    players, pipes = [], []
    try:
        for _ in range(min(jobs, rounds)):
            mine, its = forked.Pipe(duplex=False)
            player = forked.Process(target=be_player, args=(play, taken, rounds, os.getpid(), its))
            player.start()
            its.close()  # so that it is closed when the player ends
            players.append(player)
            pipes.append(mine)
        return [receive(pipe) for pipe in pipes]
    finally:
        # Those that are still at it end their clusters first.
        for player in players:
            if player.is_alive():
                player.terminate()
        for player in players:
            player.join()


def receive(pipe):
    try:
        return pipe.recv()
    except EOFError:
        return None
