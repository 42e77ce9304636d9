"""Settings: from the environment, set, overridden and refused."""

import pytest

import tpuref as tf
from tpuref.engine.configuration import EXECUTORS, Config


@pytest.fixture
def environment(monkeypatch):
    names = ["TOPOLOGY", "CORES", "EXECUTOR", "TIMEOUT", "CHECK_REPLICAS", "ALL_REDUCE"]
    for name in names:
        monkeypatch.delenv(f"TPUREF_{name}", raising=False)
    return monkeypatch


def test_defaults(environment):
    config = Config()
    assert config.topology is None
    assert config.cores is None
    assert config.executor in EXECUTORS
    assert config.timeout == 120.0
    assert config.check_replicas is False
    assert config.padding_visible is False


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("TPUREF_TOPOLOGY", "2x2x2", "topology", "2x2x2"),
        ("TPUREF_CORES", "4", "cores", 4),
        ("TPUREF_EXECUTOR", "lockstep", "executor", "lockstep"),
        ("TPUREF_XLA_DEVICES", "8", "xla_devices", 8),
        ("TPUREF_XLA_DEVICES", "gpu", "xla_devices", "gpu"),
        ("TPUREF_TIMEOUT", "2.5", "timeout", 2.5),
        ("TPUREF_CHECK_REPLICAS", "1", "check_replicas", True),
        ("TPUREF_CHECK_REPLICAS", "0", "check_replicas", False),
    ],
)
def test_the_environment_is_read(environment, variable, text, name, value):
    environment.setenv(variable, text)
    assert getattr(Config(), name) == value


@pytest.mark.parametrize(
    ("variable", "text", "allowed"),
    [
        *(
            ("TPUREF_CORES", text, "an integer from 1 to 4194304")
            for text in ("0", "-1", "two", "", "²", "٣", "4194305", "9" * 5000)
        ),
        *(
            ("TPUREF_TIMEOUT", text, "a positive number of seconds")
            for text in ("0", "soon", "nan", "inf", "-inf", "1e10", "")
        ),
        ("TPUREF_HOST_TIMEOUT", "inf", "a positive number of seconds, up to 1e9"),
        ("TPUREF_COORDINATOR", "localhost:99999", "HOST:PORT, a port of host 0"),
        ("TPUREF_EXECUTOR", "fast", "one of pool, lockstep"),
        ("TPUREF_ALL_REDUCE", "tree", "one of auto, flat, direct, ring"),
        *(
            ("TPUREF_CHECK_REPLICAS", text, "1 (True) or 0 (False)")
            for text in ("yes", "true", "2", "")
        ),
        *(
            ("TPUREF_TOPOLOGY", text, "XxYxC, three positive integers")
            for text in ("2x2", "", "0x1x1", "99999x99999x2")
        ),
    ],
)
def test_a_bad_environment_is_named(environment, variable, text, allowed):
    environment.setenv(variable, text)
    with pytest.raises(ValueError, match=f"^{variable} must be ") as caught:
        Config()
    assert allowed in str(caught.value)
    assert f"got {text!r}" in str(caught.value)


def test_the_size_that_was_set_last_decides(environment):
    config = Config()
    config.topology = "2x2x2"
    config.cores = 4
    assert (config.topology, config.cores) == (None, 4)
    config.topology = "1x1x2"
    assert (config.topology, config.cores) == ("1x1x2", None)
    config.cores = None
    assert (config.topology, config.cores) == ("1x1x2", None)


REFUSED = {
    "executor": ["fast"],
    "cores": [0, 2.0, "4", True, 2**70],
    "topology": ["2x2", (2, 2, 2)],
    "all_reduce": ["tree"],
    "xla_devices": [0, "8 cpus"],
    "check_replicas": ["no", 1],
    "padding_visible": [None],
    "timeout": [0, -1.0, "soon", float("nan"), float("inf")],
    "coordinator": ["localhost:65536"],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name in REFUSED for value in REFUSED[name]]
)
def test_values_that_are_refused(environment, name, value):
    config = Config()
    before = repr(config)
    with pytest.raises(ValueError, match=f"config.{name} must be"):
        setattr(config, name, value)
    assert repr(config) == before


def test_unknown_settings_are_refused_with_the_known_ones():
    config = Config()
    with pytest.raises(AttributeError, match="'corse'.*cores"):
        config.corse = 4
    with pytest.raises(AttributeError):
        _ = config.corse
    with pytest.raises(AttributeError, match="'corse'"), config.override(corse=4):
        pass


def test_override_ends_with_the_block(environment):
    config = Config()
    config.topology = "2x2x2"
    with config.override(cores=4, timeout=1.0) as within:
        assert within is config
        assert (config.topology, config.cores, config.timeout) == (None, 4, 1.0)
        with config.override(cores=2):
            assert config.cores == 2
        assert config.cores == 4
    assert (config.topology, config.cores) == ("2x2x2", None)
    with pytest.raises(ZeroDivisionError), config.override(cores=4):
        raise ZeroDivisionError
    assert config.cores is None


def test_an_override_that_fails_changes_nothing():
    config = Config()
    before = repr(config)
    refusal = pytest.raises(ValueError, match="executor")
    with refusal, config.override(timeout=1.0, executor="fast"):
        pass
    assert repr(config) == before


def test_the_settings_of_the_process_are_public():
    assert isinstance(tf.config, Config)
    with tf.config.override(check_replicas=True):
        assert "check_replicas=True" in repr(tf.config)
    assert repr(tf.config).startswith("Config(")
