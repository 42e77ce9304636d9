"""Takes steps and saves each, for a test to kill: counting_steps.py FOLDER STEPS."""

import sys

import tpuref as tf

folder, last = sys.argv[1], int(sys.argv[2])
tf.config.executor = "lockstep"
step = tf.train.create_global_step()
weights = tf.get_variable("weights", [1000], initializer=tf.zeros_initializer())
with tf.control_dependencies([weights.assign_add([1.0] * 1000)]):
    train_op = step.assign_add(1)
with tf.train.MonitoredTrainingSession(
    checkpoint_dir=folder,
    hooks=[tf.train.StopAtStepHook(last_step=last)],
    save_checkpoint_steps=1,
) as session:
    while not session.should_stop():
        taken, values = session.run([train_op, weights])
        assert (values == taken).all() or (values == taken - 1).all(), (taken, values)
        print(taken, flush=True)
