"""A debouncer acts once things are quiet, and outlives an act that fails."""

from threading import Event

import pytest

from rolememory.storage.debouncer import Debouncer


def test_an_act_that_fails_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    done, tries = Event(), list[int]()

    def act() -> bool:
        tries.append(1)
        if len(tries) == 1:
            raise ZeroDivisionError
        done.set()
        return True

    debouncer = Debouncer(0.01, act, "a file")
    debouncer.touch()
    assert done.wait(20)
    debouncer.close()
    assert len(tries) == 2
    assert "a file: not done" in caplog.text
