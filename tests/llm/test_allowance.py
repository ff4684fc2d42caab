"""The shared allowance: pacing, halving, budgets. Times are seconds on a clock of our own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regesta.llm.allowance import Allowance, Limits, Prices, Usage
from regesta.llm.prices import Budget, LanguageModel, Price
from regesta.llm.settings import LanguageModelSettings

SMALL = Usage(10, 10)
NOTHING = Usage(0, 0)


def settle(allowance, now, used=NOTHING, most=SMALL, expected=10, **outcome):
    allowance.settle(now, most, expected, used, **{"answered": True, **outcome})


@given(st.integers(1, 600), st.lists(st.floats(0, 2), min_size=1, max_size=200))
def test_no_minute_holds_more_requests_than_allowed(per_minute, gaps):
    allowance, now, sent = Allowance(Limits(requests_per_minute=per_minute)), 0.0, []
    for gap in gaps:
        now += gap
        permit = allowance.permit(now, SMALL, 10)
        sent.append(now + permit.wait)
    burst = per_minute / 60 + 1  # what may come early, within a second
    for begin in sent:
        assert sum(begin <= each < begin + 60 for each in sent) <= per_minute + burst + 1


def test_all_of_the_limit_is_used():
    allowance = Allowance(Limits(requests_per_minute=120))
    waits = [allowance.permit(0.0, SMALL, 10).wait for _ in range(121)]
    assert waits[-1] == pytest.approx(59.0, abs=0.6)  # two a second


def test_tokens_are_paced_by_what_was_used_in_the_end():
    allowance = Allowance(Limits(tokens_per_minute=6000))  # a hundred a second
    assert allowance.permit(0.0, Usage(400, 400), 100).wait == 0
    settle(allowance, 0.5, Usage(200, 300), most=Usage(400, 400), expected=100)
    # Expected were 100, used 500: five seconds' worth, of which one may come early.
    assert allowance.permit(0.5, SMALL, 100).wait == pytest.approx(3.5)


def test_one_storm_halves_once_and_answers_make_it_whole_again():
    allowance = Allowance(Limits())
    permits = [allowance.permit(1.0, SMALL, 10) for _ in range(8)]
    for permit in permits:
        settle(allowance, 2.0, answered=False, overloaded_since=permit.granted_at, retry_after=7.0)
    assert allowance.share == 0.5
    later = allowance.permit(3.0, SMALL, 10)
    assert later.wait == pytest.approx(6.0)  # the server asked for seven seconds from 2.0 on
    settle(allowance, 9.5, answered=False, overloaded_since=later.granted_at)
    assert allowance.share == 0.25
    for _ in range(48):
        settle(allowance, 10.0)
    assert allowance.share == 1.0


def test_a_budget_is_of_all_steps_together():
    settings = LanguageModelSettings(base_url="http://127.0.0.1/v1", name="tiny")
    budget, prices = Budget(1.0, 500), {"tiny": Price(prompt=1, completion=1)}
    first, second = (LanguageModel(settings, prices, budget) for _ in range(2))
    first.budget.spend(0.25, 200)
    left = second.limits()
    assert (left.budget_money, left.budget_tokens) == (0.75, 300)
    unlimited = Budget()
    unlimited.spend(1.0, 1)
    assert unlimited == Budget()


def test_a_budget_is_never_passed_and_all_of_it_can_be_used():
    prices = Prices(prompt=0.01, completion=0.02)
    allowance = Allowance(Limits(budget_money=1.0), prices)
    most, sent = Usage(20, 10), 0  # at most 0.40
    while (permit := allowance.permit(0.0, most, 10)).stop is None:
        assert permit.granted
        sent += 1
        settle(allowance, 0.0, Usage(20, 2), most=most)  # in the end 0.24
        assert allowance.money <= 1.0
    assert sent == 3  # 0.72 spent; a fourth could cost 0.40
    assert allowance.out_of_budget


def test_what_is_under_way_counts_against_the_budget_until_it_is_settled():
    allowance = Allowance(Limits(budget_tokens=50))
    assert allowance.permit(0.0, SMALL, 10).granted
    assert allowance.permit(0.0, SMALL, 10).granted
    waiting = allowance.permit(0.0, SMALL, 10)
    assert (waiting.granted, waiting.stop) == (False, None)
    settle(allowance, 0.1, Usage(5, 2))
    assert allowance.permit(0.1, SMALL, 10).granted


def test_an_endpoint_that_only_fails_stops_all():
    allowance = Allowance(Limits())
    for _ in range(9):
        settle(allowance, 0.0, answered=False, given_up=True)
    settle(allowance, 0.0)
    for _ in range(10):
        assert allowance.stopped is None
        settle(allowance, 0.0, answered=False, given_up=True)
    assert "10 requests in a row" in allowance.permit(0.0, SMALL, 10).stop
