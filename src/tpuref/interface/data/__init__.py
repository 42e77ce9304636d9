"""Input pipelines: ``tf.data``.

See 001_66db0865fe92828f.txt, distribute_dataset and run_steps_on_dataset.
"""
