"""A process that does the jobs of a queue: what another one has left undone is asked for again, then whatever comes.

``python -m sidewise.collect.server.working default``, or ``ranking``; ``sidewise serve`` keeps both running.
"""

import logging
import sys
import time

PAUSE = 1.0  # seconds between two attempts to find a database that is away
EVERY = 60.0  # seconds between two complaints

log = logging.getLogger("sidewise.collect")


def main(queue: str) -> None:
    """Work until told to stop; a database that goes away is waited for."""
    import django

    django.setup()
    from django.db import InterfaceError, OperationalError, connections

    told = -EVERY
    while True:
        try:
            _work(queue)
        except (OperationalError, InterfaceError) as error:
            if time.monotonic() > told + EVERY:
                log.warning("the database is away: %s", str(error).strip())
                told = time.monotonic()
            connections.close_all()
            time.sleep(PAUSE)
        else:
            return


def _work(queue: str) -> None:
    from django.core.management import call_command

    from sidewise.collect.server import jobs

    {"default": jobs.want_plans, "ranking": jobs.want_rankings}[queue]()
    call_command("db_worker", queue_name=queue, interval=0.2, startup_delay=False, reload=False, verbosity=0)


if __name__ == "__main__":
    main(sys.argv[1])
