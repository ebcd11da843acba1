"""The command ``dugout loadtest``.

It starts a server if none is named, plays in a child process (Locust replaces the standard library's blocking calls,
and nobody else should live with that), prints what the child measured, and leaves nothing running.
"""

import json
import re
import secrets
import signal
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from loadtest.process import BadUsage, RunFailed, play
from loadtest.report import Report, print_report
from loadtest.server import ServerFailed, embedded_server
from loadtest.settings import Settings, paced_think_time_s

_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}
_LONGEST_S = 7 * 24 * 3600.0


def _pem(words: str) -> Any:
    return typer.Option(metavar="FILE", exists=True, dir_okay=False, readable=True, help=f"{words} In PEM.")


def loadtest(
    target: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="A running server; without it one is started for the run.")
    ] = "",
    tables: Annotated[int, typer.Option(min=1, max=100_000, help="How many tables play at once.")] = 50,
    players: Annotated[
        int | None, typer.Option(min=2, max=7, help="Players at each table; by default 2 to 6, drawn by table.")
    ] = None,
    duration: Annotated[
        str, typer.Option(metavar="TIME", help="How long to play: 30s, 1500ms, 2m; the opening of tables included.")
    ] = "30s",
    think_time: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Mean pause before an action, exponentially distributed; 0 plays as fast as replies come. "
            "By default such that all tables together act about 400 times a second.",
        ),
    ] = None,
    profile: Annotated[str, typer.Option(help="What the tables play.")] = "baseball",
    operator_key: Annotated[
        str,
        typer.Option(
            metavar="KEY",
            envvar="DUGOUT_OPERATOR_KEY",
            help="The key that may create tables on the target; a server started for the run makes its own.",
        ),
    ] = "",
    tls_ca: Annotated[
        Path | None, _pem("Authorities of the target's certificate; without them it is called plainly.")
    ] = None,
    tls_cert: Annotated[Path | None, _pem("Certificate to show to the target.")] = None,
    tls_key: Annotated[Path | None, _pem("Private key of that certificate.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Draws players, buy-ins and choices; by default a fresh one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Play whole tables against a server, check every reply, and print how fast it answered.

    Ends with status 1 if a call failed, or if a reply lost chips, showed a hidden card or broke another promise.

    Example: dugout loadtest --tables 200 --duration 30s
    """
    if find_spec("locust") is None:
        _fail("the load test needs Locust: pip install 'dugout[loadtest]'")
    _check_tls(target, tls_ca, tls_cert, tls_key)
    settings = Settings(
        target=_target(target, operator_key),
        operator_key=operator_key,
        tables=tables,
        duration_s=_seconds(duration, "--duration", above_zero=True),
        players=players,
        think_time_s=paced_think_time_s(tables) if think_time is None else _seconds(think_time, "--think-time"),
        profile=profile,
        seed=secrets.randbelow(2**32) if seed is None else seed,
        tls_ca=str(tls_ca or ""),
        tls_cert=str(tls_cert or ""),
        tls_key=str(tls_key or ""),
    )
    report = _run(settings)
    _tell(report, settings, as_json)
    raise typer.Exit(0 if report.clean else 1)


def _run(settings: Settings) -> Report:
    """Play on the target, or on a server that lives as long as the run; interrupted in any way it leaves nothing."""
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _interrupt)
    try:
        if settings.target:
            return play(settings)
        with embedded_server() as server:
            return play(replace(settings, target=server.address, operator_key=server.operator_key))
    except BadUsage as usage:
        raise typer.BadParameter(str(usage)) from None
    except (RunFailed, ServerFailed) as failed:
        _fail(str(failed))
    except KeyboardInterrupt:
        _fail("interrupted")


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _tell(report: Report, settings: Settings, as_json: bool) -> None:
    """Print the report; say on standard error what made the run fail, and how to draw the same choices again."""
    if as_json:
        typer.echo(json.dumps(report.numbers()))
    else:
        print_report(report, settings, Console())
    if report.clean:
        return
    for words in report.failure_examples:
        typer.echo(f"failure: {words}", err=True)
    for words in report.violation_examples:
        typer.echo(f"violated check: {words}", err=True)
    if report.actions == 0:
        typer.echo("nothing was played: no action was taken", err=True)
    typer.echo(f"the choices of this run: --seed {settings.seed}", err=True)


def _target(target: str, operator_key: str) -> str:
    if not target:
        return ""
    host, _, port = target.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
        raise typer.BadParameter(f"{target!r} is not HOST:PORT", param_hint="'--target'")
    if not operator_key:
        raise typer.BadParameter("a named target needs an operator key", param_hint="'--operator-key'")
    if not (operator_key.isascii() and operator_key.isprintable()):
        raise typer.BadParameter("must be of printable ASCII characters", param_hint="'--operator-key'")
    return target


def _check_tls(target: str, ca: Path | None, cert: Path | None, key: Path | None) -> None:
    if ca is not None and not target:
        raise typer.BadParameter("a server started for the run is called plainly", param_hint="'--tls-ca'")
    if ca is None and (cert is not None or key is not None):
        raise typer.BadParameter("TLS needs the authorities of the target's certificate", param_hint="'--tls-ca'")
    if (cert is None) != (key is None):
        raise typer.BadParameter("--tls-cert and --tls-key belong together", param_hint="'--tls-cert'")


def _seconds(text: str, flag: str, above_zero: bool = False) -> float:
    """Read a duration like 30s, 1500ms, 2m or 0.5; a bare number is seconds."""
    matched = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|)", text, re.ASCII)
    if matched is None:
        raise typer.BadParameter(f"{text!r} is no duration; write 30s, 1500ms or 2m", param_hint=f"'{flag}'")
    seconds = float(matched[1]) * _UNITS_S[matched[2]]
    if seconds > _LONGEST_S or (above_zero and seconds == 0):
        allowed = f"{'above' if above_zero else 'from'} 0 to {_LONGEST_S / 3600:.0f}h"
        raise typer.BadParameter(f"{text!r} is out of range; allowed is {allowed}", param_hint=f"'{flag}'")
    return seconds


def _fail(message: str) -> NoReturn:
    typer.echo(f"Error: {message}", err=True)
    raise SystemExit(1)
