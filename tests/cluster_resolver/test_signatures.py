"""Names, signatures and defaults as the two pages list them."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import tpuref as tf

from .statements import CONTRIB, DISTRIBUTE, both, contrib, distribute, elsewhere


def parameters(function: Any) -> dict[str, Any]:
    """The parameters of a method without self, with their defaults."""
    found = dict(inspect.signature(function).parameters)
    found.pop("self")
    return {name: parameter.default for name, parameter in found.items()}


@both("/name/class")
def test_the_class_is_public(resolver: Any) -> None:
    assert inspect.isclass(resolver)
    assert resolver.__name__ == "TPUClusterResolver"


@both("/inherits/cluster-resolver")
def test_it_derives_from_cluster_resolver(resolver: Any) -> None:
    for namespace in (tf.contrib.cluster_resolver, tf.distribute.cluster_resolver):
        assert issubclass(resolver, namespace.ClusterResolver)


def test_the_two_classes_are_two() -> None:
    assert CONTRIB is not DISTRIBUTE


@distribute("/name/compat-alias")
def test_the_same_class_is_under_compat(resolver: Any) -> None:
    assert tf.compat.v1.distribute.cluster_resolver.TPUClusterResolver is resolver


FIRST = ["tpu", "zone", "project", "job_name"]
COORDINATOR = ["coordinator_name", "coordinator_address"]
ALL = [*FIRST, *COORDINATOR, "credentials", "service", "discovery_url"]


@both("/signature/init-parameters")
def test_the_parameters_and_their_order(resolver: Any) -> None:
    assert list(parameters(resolver.__init__)) == ALL


@both("/signature/init-parameters")
def test_all_may_be_given_by_position(resolver: Any, service: Any) -> None:
    made = resolver("node-1", "z", "p", "job", "c", "a:1", "credentials", service, "u")
    spec = made.cluster_spec().as_dict()
    assert spec == {"job": ["10.1.2.3:8470", "10.1.2.4:8470"], "c": ["a:1"]}
    assert service.requested == ["projects/p/locations/z/nodes/node-1"]


@both("/signature/default-tpu")
def test_default_tpu(resolver: Any) -> None:
    assert parameters(resolver.__init__)["tpu"] is None


@both("/signature/default-zone")
def test_default_zone(resolver: Any) -> None:
    assert parameters(resolver.__init__)["zone"] is None


@both("/signature/default-project")
def test_default_project(resolver: Any) -> None:
    assert parameters(resolver.__init__)["project"] is None


@both("/signature/default-job-name")
def test_default_job_name(resolver: Any) -> None:
    assert parameters(resolver.__init__)["job_name"] == "worker"


@both("/signature/default-coordinator-name")
def test_default_coordinator_name(resolver: Any) -> None:
    assert parameters(resolver.__init__)["coordinator_name"] is None


@both("/signature/default-coordinator-address")
def test_default_coordinator_address(resolver: Any) -> None:
    assert parameters(resolver.__init__)["coordinator_address"] is None


@both("/signature/default-credentials")
def test_default_credentials(resolver: Any) -> None:
    assert parameters(resolver.__init__)["credentials"] == "default"


@both("/signature/default-service")
def test_default_service(resolver: Any) -> None:
    assert parameters(resolver.__init__)["service"] is None


@distribute("/signature/default-discovery-url")
def test_default_discovery_url(resolver: Any) -> None:
    assert parameters(resolver.__init__)["discovery_url"] is None


@both(".cluster_spec/signature/no-parameters")
def test_cluster_spec_takes_nothing(resolver: Any) -> None:
    assert parameters(resolver.cluster_spec) == {}


@contrib(".master/signature/no-parameters")
def test_master_takes_nothing(resolver: Any) -> None:
    assert parameters(resolver.master) == {}
    assert resolver("local").master() == "local"


@distribute(".master/signature/parameters")
def test_master_takes_three(resolver: Any) -> None:
    expected = dict.fromkeys(["task_type", "task_id", "rpc_layer"])
    assert parameters(resolver.master) == expected
    assert list(parameters(resolver.master)) == list(expected)


@distribute(".num_accelerators/signature/parameters")
def test_num_accelerators_takes_three(resolver: Any) -> None:
    expected = dict.fromkeys(["task_type", "task_id", "config_proto"])
    assert parameters(resolver.num_accelerators) == expected
    assert list(parameters(resolver.num_accelerators)) == list(expected)


@contrib(".__deepcopy__/signature/memo")
def test_deepcopy_takes_memo(resolver: Any) -> None:
    assert "__deepcopy__" in vars(resolver)
    assert list(parameters(resolver.__deepcopy__)) == ["memo"]


@distribute(".__enter__/signature/no-parameters")
def test_enter_takes_nothing(resolver: Any) -> None:
    assert parameters(resolver.__enter__) == {}


@distribute(".__exit__/signature/parameters")
def test_exit_takes_the_error(resolver: Any) -> None:
    assert list(parameters(resolver.__exit__)) == ["type", "value", "traceback"]


@elsewhere("tf.train.ClusterSpec/name/exists")
def test_cluster_spec_is_public(statement: str) -> None:
    spec = tf.train.ClusterSpec({"worker": ["10.1.2.3:8470"]})
    assert spec.jobs == ["worker"]
    assert spec.as_dict() == {"worker": ["10.1.2.3:8470"]}
    assert spec.job_tasks("worker") == ["10.1.2.3:8470"]
    assert spec.task_address("worker", 0) == "10.1.2.3:8470"


def test_a_resolver_of_ones_own_has_to_say_where_its_tasks_are() -> None:
    class Half(tf.distribute.cluster_resolver.ClusterResolver):  # type: ignore
        def master(self) -> str:
            return ""

    with pytest.raises(TypeError, match="cluster_spec"):
        Half()
