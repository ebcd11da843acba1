"""How commands speak."""

import json

import pytest

from service.cli.output import fail, print_json, print_table


def test_json_is_one_line_and_keeps_the_order_of_its_keys(capsys):
    print_json({"b": "♠", "a": [1, None]})
    assert '{"b": "♠", "a": [1, null]}\n' == capsys.readouterr().out


def test_large_amounts_keep_every_digit(capsys):
    print_json({"large": 2**53 + 1})
    assert 2**53 + 1 == json.loads(capsys.readouterr().out)["large"]


def test_the_columns_of_a_table_line_up_and_no_line_ends_in_spaces(capsys):
    print_table([("A", "B"), ("longer", ""), ("x", "yy")], indent="  ")
    assert "  A       B\n  longer\n  x       yy\n" == capsys.readouterr().out


def test_a_table_without_rows_prints_nothing(capsys):
    print_table([])
    assert "" == capsys.readouterr().out


def test_a_failure_is_one_line_on_standard_error_and_status_1(capsys):
    with pytest.raises(SystemExit) as exit_:
        fail("the pot is missing")
    assert 1 == exit_.value.code
    assert ("", "Error: the pot is missing\n") == capsys.readouterr()
