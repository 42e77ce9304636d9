"""tf.tpu.initialize_system and tf.tpu.shutdown_system."""

import pytest

import tpuref as tf

from ..messages import refused


def sums(replicas):
    return tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0]] * replicas)


def cores(session):
    return sum(device.device_type == "TPU" for device in session.list_devices())


def two_jobs():
    spec = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1"]})
    return tf.ConfigProto(cluster_def=spec.as_cluster_def())


def test_the_default_system_has_eight_cores(session):
    serialized = session.run(tf.tpu.initialize_system())
    assert type(serialized) is bytes
    topology = tf.contrib.tpu.Topology(serialized=serialized)
    assert topology.mesh_shape.tolist() == [2, 2, 2]
    assert (topology.num_tasks, topology.num_tpus_per_task) == (1, 8)
    assert cores(session) == 8
    # The first bytes are those that releases with three-dimensional meshes give.
    assert serialized.startswith(bytes.fromhex("0a03020202100118082218"))


def test_an_initialised_system_has_a_fixed_size(session):
    with tf.config.override(cores=4):
        session.run(tf.tpu.initialize_system())
    for replicas in (3, 8):
        with pytest.raises(tf.errors.InvalidArgumentError, match="4 cores"):
            session.run(sums(replicas))
    assert session.run(sums(1)) == [(1.0,)]


def test_it_grows_and_does_not_shrink(session):
    assert session.run(sums(3)) == [(3.0,)] * 3
    assert cores(session) == 3  # as many as the first evaluation needs
    for replicas in (2, 5, 3, 1, 8, 2):
        assert session.run(sums(replicas)) == [(float(replicas),)] * replicas
    assert cores(session) >= 8


def test_a_configured_system_does_not_grow(session):
    with tf.config.override(topology="2x1x2"):
        assert session.run(sums(4)) == [(4.0,)] * 4
        with pytest.raises(tf.errors.InvalidArgumentError, match="5 replicas.*4 cores"):
            session.run(sums(5))
        assert cores(session) == 4


def test_an_assignment_brings_its_topology(session):
    topology = tf.contrib.tpu.Topology.for_mesh(2, 2, 1)
    chosen = tf.contrib.tpu.device_assignment(topology, num_replicas=3)
    out = tf.tpu.replicate(lambda x: x, [[1], [2], [3]], device_assignment=chosen)
    assert session.run(out) == [(1,), (2,), (3,)]
    assert cores(session) == 4


def test_after_shutdown_only_initialising_helps(session):
    session.run(tf.tpu.initialize_system())
    out = sums(8)
    session.run(out)
    session.run(tf.tpu.shutdown_system())  # where it stopped
    for _ in range(2):
        words = ["not initialised", "# where it stopped", "tf.tpu.initialize_system()"]
        refused(tf.errors.FailedPreconditionError, words, session.run, out)
    session.run(tf.tpu.initialize_system())
    assert session.run(out) == [(8.0,)] * 8


def test_initialising_again_takes_the_settings_of_the_moment(session):
    start, stop = tf.tpu.initialize_system(), tf.tpu.shutdown_system()
    for count in (2, 4, 1):
        with tf.config.override(cores=count):
            topology = tf.contrib.tpu.Topology(serialized=session.run(start))
            assert topology.num_cores == count == cores(session)
    session.run(stop)
    session.run(start)
    assert cores(session) == 8


@pytest.mark.parametrize("make", [tf.tpu.initialize_system, tf.tpu.shutdown_system])
def test_an_unknown_job(make, session):
    with pytest.raises(tf.errors.InvalidArgumentError, match="no job 'worker'"):
        session.run(make(job="worker"))


def test_each_job_has_a_system_of_its_own():
    with tf.Session(config=two_jobs()) as session:
        with tf.config.override(cores=2):
            session.run(tf.tpu.initialize_system(job="worker"))
        assert session.run(sums(2)) == [(2.0,)] * 2  # the only one that runs
        with tf.config.override(cores=4):
            session.run(tf.tpu.initialize_system(job="ps"))
        with pytest.raises(tf.errors.InvalidArgumentError, match="of which 2 run"):
            session.run(sums(2))
        with tf.device("/job:ps"):
            on_ps = sums(4)
        assert session.run(on_ps) == [(4.0,)] * 4
        session.run(tf.tpu.shutdown_system(job="ps"))
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(on_ps)
        assert session.run(sums(2)) == [(2.0,)] * 2
        session.run(tf.tpu.shutdown_system(job="worker"))


def test_the_job_may_come_from_the_device_scope():
    with tf.Session(config=two_jobs()) as session:
        with tf.device("/job:ps"), tf.config.override(cores=2):
            session.run(tf.tpu.initialize_system())
        assert session.run(sums(2)) == [(2.0,)] * 2
        names = [device.name for device in session.list_devices()]
        assert sum("/job:ps/" in n and "/device:TPU:" in n for n in names) == 2
        with tf.device("/job:ps"):
            session.run(tf.tpu.shutdown_system())
            with pytest.raises(tf.errors.FailedPreconditionError):
                session.run(sums(2))


def test_with_several_jobs_none_starts_by_itself():
    invalid = pytest.raises(tf.errors.InvalidArgumentError, match="of which 0 run")
    with tf.Session(config=two_jobs()) as session, invalid:
        session.run(sums(2))


def test_a_computation_for_an_unknown_job(session):
    with tf.device("/job:nowhere"):
        out = sums(2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no job 'nowhere'"):
        session.run(out)


@pytest.mark.parametrize("make", [tf.tpu.initialize_system, tf.tpu.shutdown_system])
def test_the_system_is_none_of_a_replicas_business(make, session):
    def computation():
        make()

    out = tf.tpu.replicate(computation)
    with pytest.raises(tf.errors.FailedPreconditionError, match="do it outside"):
        session.run(out)


def test_eager_mode(eager):
    serialized = tf.tpu.initialize_system().numpy()
    assert tf.contrib.tpu.Topology(serialized=serialized).num_cores == 8
    assert tf.tpu.replicate(lambda x: x + 1, [[1]] * 8)[0][0].numpy() == 2
    assert tf.tpu.shutdown_system() is None
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.tpu.replicate(lambda x: x, [[1]])
