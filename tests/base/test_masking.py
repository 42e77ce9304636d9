"""Texts that may hold a password or a token, as messages and logs show them."""

import pytest

from tpuref.base.masking import masked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("grpc://h:1", "grpc://h:1"),
        ("grpc://me:s3cret@h:1", "grpc://***@h:1"),
        (
            "grpc://s3cret@h:1,grpc://a:s3@cret@[::1]:2",
            "grpc://***@h:1,grpc://***@[::1]:2",
        ),
        ("at 'http://u:s3cret@h/a@b?x=1': no", "at 'http://***@h/a@b?x=1': no"),
        ("http://h/a?alt=json&key=s3cret", "http://h/a?alt=json&key=***"),
        ("http://h/?access_token=s3cret&n=1", "http://h/?access_token=***&n=1"),
        ("http://h/?API_KEY=s3cret#top", "http://h/?API_KEY=***#top"),
        ('"http://h/?password=s3cret"', '"http://h/?password=***"'),
        ("Authorization: Bearer s3cret.x-y, more", "Authorization: Bearer ***, more"),
        ("authorization: basic czNjcmV0", "authorization: basic ***"),
        ("basic news of a bearer", "basic news of a bearer"),
        ("keys = 3, a token of 4", "keys = 3, a token of 4"),
        ("mail to a@b.c", "mail to a@b.c"),
        ("http://h/monkey?monkeys=3", "http://h/monkey?monkeys=3"),
    ],
)
def test_what_is_shown(text, shown):
    assert masked(text) == shown
    assert "cret" not in masked(text)
