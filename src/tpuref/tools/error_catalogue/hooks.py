"""Errors of hooks and monitored sessions."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.HOOK_ARGUMENT,
        "A hook or a monitored session cannot take an argument",
        meaning="Two arguments exclude each other, such as a period in steps and one "
        "in seconds, or one is missing; a function given to run_step_fn has other "
        "parameters; or a collection that must have one element has several.",
        remedy="Give what the message expects.",
        text="""
            import tpuref as tf

            tf.train.StopAtStepHook(num_steps=10, last_step=100)
        """,
    ),
    Entry(
        codes.MODEL_NOT_READY,
        "Variables have no value after a session was prepared",
        meaning="No checkpoint gave them one, and init_op, init_fn and local_init_op "
        "of the scaffold do not initialize them. A process that is not the chief "
        "waits for the chief to initialize them.",
        remedy="Let the scaffold initialize all variables, as it does by default, or "
        "add them to the collection of global or of local variables.",
        text="""
            import tpuref as tf

            v = tf.get_variable("v", initializer=1.0)
            w = tf.get_variable("w", initializer=2.0)
            scaffold = tf.train.Scaffold(init_op=v.initializer)
            tf.train.SingularMonitoredSession(scaffold=scaffold)
        """,
    ),
    Entry(
        codes.FED_TWICE,
        "A tensor is fed twice in a run of a monitored session",
        meaning="Two hooks, or a hook and the caller of run, feed the same tensor.",
        remedy="Feed each tensor in one place.",
        text="""
            import tpuref as tf

            x = tf.placeholder(tf.float32, [])
            hook = tf.train.FeedFnHook(lambda: {x: 1.0})
            with tf.train.MonitoredSession(hooks=[hook]) as sess:
                sess.run(x, {x: 2.0})
        """,
    ),
    Entry(
        codes.NAN_LOSS,
        "The loss is NaN",
        meaning="tf.train.NanTensorHook, which an Estimator adds when it trains, saw "
        "a loss that is not a number.",
        remedy="Lower the learning rate, clip gradients with tf.clip_by_global_norm, "
        "or look for a division by zero or the logarithm of zero; "
        "tf.check_numerics says where it begins. With fail_on_nan_loss=False the "
        "hook ends training without an error.",
        text="""
            import tpuref as tf

            loss = tf.constant(float("nan"))
            hook = tf.train.NanTensorHook(loss)
            with tf.train.MonitoredSession(hooks=[hook]) as sess:
                sess.run(loss)
        """,
    ),
    Entry(
        codes.SESSION_STOPPED,
        "A monitored session has stopped, or its threads do not stop",
        meaning="A hook has requested a stop, or the session was closed, and it is "
        "used again; or threads of a coordinator still run after their time.",
        remedy="Run while `not session.should_stop()`. Threads look at "
        "coord.should_stop().",
        text="""
            import tpuref as tf

            sess = tf.train.MonitoredSession()
            sess.close()
            sess.run(tf.constant(1))
        """,
    ),
)
